// FlowCC's packets and registers in words: one write miss through the switch, as a chart would tell it.
#include <catch2/catch.hpp>
#include <new>
#include <optional>

#include "models/packets/packet_observer.hpp"
#include "tests/protocols/flowcc/flowcc_run.hpp"

namespace describe_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;

namespace {

// Notes what the protocol says about each packet on a wire: "from > label" towards the switch, "label > to" behind it.
struct Notes final : models::PacketObserver {
  explicit Notes(FlowCcScript& watched) : run(watched) { run.rack.context().add_packet_observer(*this); }
  void on_wire(const p4::Packet& packet, const models::WirePassage& passage) override {
    const auto description = run.protocol->describe(packet);
    REQUIRE(description);
    if (description->part) return;
    CHECK(description->key == key);
    const bool up = run.event_log.name(passage.wire).ends_with("-switch");
    lines.push_back(up ? description->from + " > " + description->label : description->label + " > " + description->to);
  }
  void dropped(const p4::Packet&, sim::Source, sim::Time, models::DropReason) override {}
  void delivered(const p4::Packet&, sim::Source, sim::Time) override {}
  void pass_begins(const p4::Packet&, unsigned, sim::Time, bool) override {}
  void switch_written(const models::SwitchWrite&) override {}
  FlowCcScript& run;
  std::optional<std::uint64_t> key = 0;
  std::vector<std::string> lines;
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a write miss, a read of the dirty block and their packets are described in the paper's words") {
  FlowCcScript run(Setup{});
  Notes notes(run);
  const auto block = run.shared_block(0);  // at home on node 0
  notes.key = run.protocol->block_of(block);
  // Nobody caches it: the switch sends the request to the home agent, which sends the data. An acknowledgement is
  // inline and overtakes the block, which is first read over PCIe.
  run.access({2, 1}, block, true);
  CHECK(notes.lines == Lines{"n2.t1 > WRITE-MISS seq 1 serial 1", "WRITE-MISS seq 1 > n0.home",
                             "n0.home > ACK seq 1 Unshared {}", "ACK seq 1 Unshared {} > n2.t1",
                             "n0.home > block, value 0x0", "block, value 0x0 > n2.t1",
                             "n2.t1 > UNLOCK (write) seq 1 Modified {n2}", "UNLOCK-ACK seq 1 > n2.t1"});
  notes.lines.clear();
  // Node 2 holds it dirty: its cache agent provides the data, and the reader writes them back before it unlocks.
  run.access({1, 0}, block, false);
  const std::string value = "block, value 0x60000000001";
  CHECK(notes.lines == Lines{"n1.t0 > READ-MISS seq 1 serial 1", "READ-MISS seq 1, provider > n2.cache",
                             "n2.cache > ACK seq 1 Modified {n2}", "ACK seq 1 Modified {n2} > n1.t0",
                             "n2.cache > " + value, value + " > n1.t0", "n1.t0 > " + value, value + " > n0.home",
                             "n1.t0 > UNLOCK (read) seq 1 Shared {n1, n2}", "UNLOCK-ACK seq 1 > n1.t0"});
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("the registers of a block in the switch have names, meanings and readable values") {
  FlowCcScript run(Setup{});
  const auto block = run.shared_block(0);
  const auto tag = run.protocol->block_of(block);
  run.access({2, 1}, block, true);
  const auto registers = run.protocol->switch_state_of(tag);
  // Four of the block, then two scores and a last unlock for each of the 8 requesters.
  REQUIRE(registers.size() == 4 + 8 * 3);
  const auto& file = run.rack.chassis().pipeline(registers[0].pipe).registers();
  const auto text = [&](std::size_t i) {
    const auto value = file.read(file.array(registers[i].array), registers[i].index);
    return registers[i].meaning + " " +
           (registers[i].print != nullptr ? registers[i].print(value) : std::to_string(value));
  };
  CHECK(text(0) == "tag block " + sim::printed_key(tag));
  CHECK(text(1) == "lock 0x0000 (no writer, 0 readers)");
  CHECK(text(2) == "status Modified");
  CHECK(text(3) == "copyset {n2}");
  CHECK(registers[4].party == "n0.t0");
  // n2.t1 is requester 5.
  CHECK(registers[4 + 5 * 3 + 2].party == "n2.t1");
  CHECK(text(4 + 5 * 3 + 2) == "last unlock of n2.t1 1");
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a block that its home owns has no registers in the switch") {
  Setup setup;
  setup.flowcc.ownership = FlowCcOptions::Ownership::home;
  FlowCcScript run(setup);
  CHECK(run.protocol->switch_state_of(run.protocol->block_of(run.shared_block(0))).empty());
  run.finish();
  CHECK(run.violations() == "");
}

TEST_CASE("a request for a chunk, what is given for it and a refusal are described") {
  Setup setup;
  setup.flowcc.chunk_bytes = 8 * 4096;
  setup.flowcc.memory_bytes = 12 * 4096;  // the first blocks of each home are reserved for the script
  FlowCcScript run(setup);
  Notes notes(run);
  notes.key = std::nullopt;
  const auto take = [&]() -> sim::Task<void> {
    try {
      co_await run.protocol->allocate({2, 1}, 8 * 4096, {.home = models::NodeId{1}});
      co_await run.protocol->allocate({2, 1}, 8 * 4096, {.home = models::NodeId{1}});
    } catch (const std::bad_alloc&) {
    }
  };
  run.spawn(take(), 2);
  run.advance(100_us);
  CHECK(notes.lines == Lines{"n2.t1 > request 1 for 32768 bytes", "request 1 for 32768 bytes > n1.home",
                             "n1.home > 32768 bytes at 0x1000000003000 for request 1",
                             "32768 bytes at 0x1000000003000 for request 1 > n2.t1",
                             "n2.t1 > request 2 for 32768 bytes", "request 2 for 32768 bytes > n1.home",
                             "n1.home > no room for request 2", "no room for request 2 > n2.t1"});
}

}  // namespace describe_test
