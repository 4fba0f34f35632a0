// The declaration of SELCC's options. See options.hpp. Where the paper gives no number: implementations of the authors
// (the published code) and the model-checked rules, each named.
#include "protocols/selcc/options.hpp"

#include <algorithm>

#include "protocols/selcc/frame.hpp"

namespace racksim::selcc {

void Options::declare(sim::Parameters& p) {
  using sim::Duration;
  const Duration zero, most = Duration::from_ps(1'000'000'000);
  p.size("line", line_bytes, 64, 65'536, "global cache line without its latch word, a power of two")
      .published("SELCC §7.1: 2 KB")
      .varied({64, 256, 2048});
  p.size("cache", cache_bytes, 256, std::uint64_t{1} << 40, "cache of each compute node")
      .published("SELCC §7: 8 GB")
      .varied({2048, 8192, 65'536});
  p.integer("shards", shards, 1, 65'536, "parts of the cache, each with an LRU list of its own")
      .published("§5 has such parts; published code: 128")
      .varied({1, 4});
  p.flag("confirm", confirm,
         "who gets a line from another node gives it up only after the giver's atomic has changed the word")
      .guards("who got a line releases it before the giver's atomic: a borrow from the owner's id",
              "selcc/mechanisms.json/without-confirm");
  p.flag("giver_waits", giver_waits, "who shares a Modified line keeps its share until its atomic has changed the word")
      .guards("a giver drops its share before its atomic: a borrow from its id",
              "selcc/mechanisms.json/without-giver-waits");
  p.flag("flush_first", flush_first, "what is dirty is written to memory before the atomic that gives the line up")
      .guards("the next holder reads memory before the flush: stale copies",
              "selcc/mechanisms.json/without-flush-first");
  p.flag("case2_flush", case2_flush, "a Modified line that is shared is written to memory (§4.4.2)")
      .guards("readers of a shared line find old memory", "selcc/mechanisms.json/without-case2-flush");
  p.flag("await_answer", await_answer, "the word is not touched again before all invalidations are answered")
      .guards("a line is handed to somebody who waits no longer: stuck", "selcc/mechanisms.json/without-await-answer");
  p.flag("dirty_travels", dirty_travels, "a Modified line is forwarded with its dirty boundaries")
      .guards("earlier owners' writes are never flushed: lost", "selcc/mechanisms.json/without-dirty-travels");
  p.flag("answer_deferred", answer_deferred, "who loses a line answers the invalidations that it has deferred")
      .guards("whoever asked in vain waits for ever", "selcc/mechanisms.json/without-answer-deferred");
  p.flag("drop_shared_deferral", drop_shared_deferral, "an invalidation of a Shared line in local use is dropped")
      .guards("two upgraders wait for each other", "selcc/mechanisms.json/without-shared-drops");
  p.flag("match_case", match_case, "an invalidation takes effect only on a line in the state that it is meant for")
      .guards("a writer beside readers, words that no operation leaves", "selcc/mechanisms.json/without-match-case");
  p.flag("upgrade_fallback", upgrade_fallback, "an upgrade that fails too often releases its share first (§4.3.2)")
      .guards("two upgraders fail for ever", "selcc/mechanisms.json/without-upgrade-fallback");
  p.flag("ordered_deferral", ordered_deferral,
         "where carries can reach the id (43 and more compute nodes, undo not waited for), a writer that waits for "
         "answers lets only nodes after it wait for its own: others are told that it is busy")
      .neutral(true)
      .guards("writers that a carry sends to each other wait for each other", "selcc/mechanisms.json/without-order");
  p.choice(
       "undo", undo, {{"overlapped", Undo::overlapped}, {"waited", Undo::waited}, {"off", Undo::off}},
       "how a reader that finds a writer in the word takes its bit away: while it asks the writer, before, or never")
      .varied({Undo::overlapped, Undo::waited})
      .guards(Undo::off, "a reader's bit stays in the word", "selcc/mechanisms.json/without-undo");
  p.integer("upgrade_attempts", upgrade_attempts, 1, 1000, "upgrades that fail before the share is released")
      .estimate("our choice: §4.3.2 says \"several\", the published code has one")
      .varied({1, 3});
  p.integer("try_attempts", try_attempts, 1, 1000, "latch operations after which a try-lock gives up")
      .published("published code: 5")
      .neutral(5);
  p.flag("forwarding", forwarding, "a Modified line is given from cache to cache; off: by way of memory (Figure 6a)");
  p.flag("batched_eviction", batched_eviction, "evictions are posted in batches, without waiting for each (§5.2.1)");
  p.flag("dirty_boundaries", dirty_boundaries, "only what lies between the dirty boundaries is written back (§5.2.2)");
  p.real("free_share", free_share, 0, 0.5, "frames that the evictor keeps free, L").published("published code: 0.2 %");
  p.integer("ring_slots", ring_slots, 2, 4096, "work requests of a memory server's copy-out ring, L_out")
      .published("published code: write-backs in batches of 16")
      .varied({2, 16});
  p.optional_integer("gamma", gamma, 0, 1'000'000'000,
                     "synthetic accesses until local threads give an asked-for line up; null: never")
      .published("§5.3.1, §7.1.3: 256")
      .varied({0, 4, 256})
      .guards_unless_null("the threads of the node that has a line keep it among themselves: the others starve",
                          "selcc/mechanisms.json/without-gamma");
  p.integer("resend_factor", resend_factor, 1, 1000, "C of the resend gap C × RTT / retries")
      .estimate("our choice: §5.1.2 has \"an empirical constant\"")
      .varied({1, 8});
  p.integer("priority_unit", priority_unit, 1, 1'000'000,
            "retries that make the first level of priority; the next begin at 2, 4, 8, 10 and 50 times as many")
      .published("published code: 20")
      .varied({1, 20});
  p.flag("spin_waiting", spin_waiting, "readers hold back from a line that a starved writer asks for (§5.3.2)");
  p.flag("priority_matching", priority_matching,
         "a starved writer's line goes only to readers of its priority (§5.3.2)");
  p.flag("relaxed", relaxed,
         "writes return at once and wait in a FIFO buffer of their session (§6.2): total store order")
      .neutral(false);
  p.integer("buffered_writes", buffered_writes, 1, 4096, "writes that a session's buffer holds")
      .estimate("our choice: the paper names none")
      .neutral(16);
  p.length("buffer_deadline", buffer_deadline, zero, most,
           "for how long a write may wait in a buffer; 0: it is performed before it returns")
      .estimate("chosen; the paper names none")
      .neutral(20_us)
      .varied({zero, 1_us, 20_us});
  p.length("spin_per_level", spin_per_level, zero, most, "for how long, for each level of its priority")
      .published("published code: 16 us");
  p.choice("recovery", recovery, {{"none", RecoveryMode::none}, {"fence", RecoveryMode::fence}},
           "what is done about a compute node that has crashed: nothing, as in the paper, or it is cut off and what it "
           "held is freed (ours; needs undo \"waited\")")
      .neutral(RecoveryMode::none);
  p.flag(
       "sweep", sweep,
       "recovery takes a dead node out of all words at once, so that it may come back; off: of those that others meet")
      .neutral(false)
      .varied({false, true});
  p.flag("claim", claim, "who got a line from a dead node puts itself in its place in the word, unless it is there")
      .neutral(true)
      .guards("a word goes on to name a dead node", "selcc/recovery.json/without-claim");
  p.flag("recheck", recheck, "who waits for a dead node's answer looks whether it has the line already")
      .neutral(true)
      .guards("who has a line already asks the dead node for it for ever", "selcc/recovery.json/without-recheck");
  membership.declare(p, "selcc/recovery.json/without-leases", "selcc/recovery.json/without-cut");
  // Not zero: a thread that only hits would perform operations for ever in one instant.
  p.length("costs.local_access", local_access, Duration::from_ps(1000), most,
           "core time of an access to the cache, its local latch held")
      .estimate("a lookup in DRAM: a cache miss of 80 to 100 ns")
      .varied({10_ns, 1_us});
  p.length("costs.handling", handling, zero, most, "core time of a handler for an invalidation")
      .estimate("a lookup and a local latch: two cache misses")
      .varied({zero, 1_us});
  p.length("costs.eviction", eviction, zero, most, "core time of the evictor for a frame")
      .estimate("a cache miss")
      .varied({zero, 1_us});
}

std::uint8_t Options::priority_of(std::uint32_t retries) const {
  const std::uint64_t units = retries / priority_unit;
  if (units < 1) return 0;
  if (units < 2) return 1;
  if (units < 4) return 2;
  if (units < 8) return 3;
  if (units < 10) return 4;
  return static_cast<std::uint8_t>(std::min<std::uint64_t>(5 + units / 50, 255));
}

std::vector<std::string> Options::also_tolerates() const {
  if (!recovers()) return {};
  return {"availability", "crash", "isolation"};
}

sim::Duration Options::longest_timeout(const models::RackOptions&) const {
  return recovers() ? membership.patience() + membership.interval() : sim::Duration{};
}

// The threads of a node keep a line for γ writes, or for γ reads of each (§5.3.1): a turn of each node overtakes. Then it
// goes to whoever asks with the highest priority, which grows with the retries (§5.3.2): among equals luck decides, and
// readers, who share a line, have more of it than a writer. §5.3.1 chooses 256; without γ nothing is bounded, and 256
// tells. Readers hold back for a starved writer by its priority, and get its line when theirs is as high (§5.3.2): both
// grow with the time that it waited. Buffered writes wait for their deadline.
std::optional<sim::WaitingBounds> Options::waiting(const models::RackOptions& rack) const {
  constexpr int kLevels = 5;  // of priority at once; the next takes fifty retries
  const sim::Duration held_back =
      (spin_waiting ? spin_per_level * kLevels : sim::Duration{}) + (relaxed ? buffer_deadline : sim::Duration{});
  // γ counts from when an invalidation has come and was not dropped (§5.1.2): until then a thread that has the line goes on.
  const auto hits_on_the_way =
      static_cast<std::uint64_t>(rack.rtt * static_cast<std::int64_t>(2 + resend_factor) / local_access);
  return sim::WaitingBounds{
      .waits_from = {},
      .headway = rack.rtt,
      .overtakings = gamma.value_or(256) + 1 + sim::WaitingBounds::kByLittleLuck + hits_on_the_way,
      .lucky = true,
      .writes_return_early = relaxed,
      .at_node = 4 * (relaxed ? buffered_writes + 1 : 1),  // a latch waits for what is buffered, a turn each
      .step = rack.rtt * static_cast<std::int64_t>(32 + resend_factor) + held_back,
      .work = local_access + handling + eviction,
      .as_the_holder = spin_waiting || priority_matching ? 2U : 0U};
}

models::StateSize Options::state_size(std::uint64_t) const {
  return {.block_bytes = line_bytes,
          .bytes_per_object = 48,  // what memory has: the latch and a word
          .cache_objects = frames(),
          .bytes_per_copy = Cache::kFrameBytes};
}

}  // namespace racksim::selcc
