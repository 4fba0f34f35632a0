// The declaration of SEL's options. See options.hpp.
#include "protocols/sel/options.hpp"

namespace racksim::sel {

void Options::declare(sim::Parameters& p) {
  using sim::Duration;
  p.size("line", line_bytes, 64, 65'536, "global cache line without its latch word, a power of two")
      .published("SELCC §7.1: 2 KB")
      .varied({64, 256, 2048});
  p.flag("latch", latch, "accesses are made under the line's latch")
      .guards("who holds the latch is not alone", "sel/mechanisms.json/without-latch");
  p.flag("undo", undo, "a reader that finds a writer in the word takes its bit away again")
      .guards("a reader's bit stays in the word: nobody writes the line any more", "sel/mechanisms.json/without-undo");
  p.flag("write_first", write_first, "what is changed is written before the latch is released")
      .guards("the next holder reads memory before the write", "sel/mechanisms.json/without-write-first");
  p.integer("try_attempts", try_attempts, 1, 1000, "latch operations after which a try-lock gives up")
      .published("published code of SELCC: 5")
      .neutral(5);
  // Not zero: no access takes no time.
  p.length("costs.local_access", local_access, Duration::from_ps(1000), Duration::from_ps(1'000'000'000),
           "core time of an access to the buffer that the line was read into")
      .estimate("as SELCC's")
      .varied({Duration::from_ps(10'000), Duration::from_ps(1'000'000)});
}

// The threads of a node take turns. Between nodes luck decides, and who finds the latch taken pauses before it tries again,
// for up to 8 us (access.cpp), while who has released it comes back at once.
std::optional<sim::WaitingBounds> Options::waiting(const models::RackOptions& rack) const {
  return sim::WaitingBounds{.waits_from = rack.rtt / 2,
                            .headway = rack.rtt,
                            .overtakings = sim::WaitingBounds::kByLittleLuck,
                            .lucky = true,
                            .at_node = 1,
                            .step = rack.rtt * 24,
                            .work = local_access + rack.cpu.completion + rack.cpu.post};
}

}  // namespace racksim::sel
