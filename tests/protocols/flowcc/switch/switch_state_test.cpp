// What coherence events do to the switch's state (Concordia §4.1, §5.1.1): which passes change it, who gets a lock, and
// who is told that he did not.
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/protocols/flowcc/switch/lcf_switch.hpp"

namespace switch_state_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;
using enum MessageType;
using enum GlobalStatus;

namespace {

constexpr models::NodeId kMe = 3, kAnother = 4;
constexpr Copyset kMine = node_bit(kMe), kOthers = node_bit(0) | node_bit(1) | node_bit(6);

Setup eight_nodes(FlowCcOptions::Idempotence idempotence = FlowCcOptions::Idempotence::safe) {
  Setup setup;
  setup.flowcc.idempotence = idempotence;
  setup.rack.nodes = 8;
  setup.micro.threads = 1;
  setup.micro.sharing_ratio = 1;
  setup.micro.shared_bytes = 8 * 4096;
  return setup;
}

/// The arrays that each pass has changed.
class ChangingPasses final : p4::StateWriteObserver {
 public:
  explicit ChangingPasses(LcfSwitch& lcf) : lcf_(lcf) { lcf.pipeline.registers().add_observer(*this); }
  ~ChangingPasses() { lcf_.pipeline.registers().remove_observer(*this); }

  PassResult pass(const FlowCcHeader& h, std::optional<std::uint64_t> resubmit_data = std::nullopt) {
    changed_.clear();
    PassResult result = lcf_.pass(h, resubmit_data);
    if (!changed_.empty()) passes.push_back(changed_);
    return result;
  }

  std::vector<std::set<std::uint32_t>> passes;  ///< those that have changed something

 private:
  void register_written(const p4::StateWrite& write) override { changed_.insert(write.array); }

  LcfSwitch& lcf_;
  std::set<std::uint32_t> changed_;
};

struct Event {
  MessageType type;
  GlobalMetadata before, after;
};

const Event kEvents[] = {
    {read_miss, {unshared, 0}, {shared, kMine}},
    {read_miss, {shared, kOthers}, {shared, kOthers | kMine}},
    {read_miss, {modified, node_bit(1)}, {shared, node_bit(1) | kMine}},
    {write_miss, {unshared, 0}, {modified, kMine}},
    {write_miss, {shared, kOthers}, {modified, kMine}},
    {write_miss, {modified, node_bit(1)}, {modified, kMine}},
    {write_shared, {shared, kMine | kOthers}, {modified, kMine}},
    {write_shared, {shared, kMine}, {modified, kMine}},
    {evict_shared, {shared, kMine | kOthers}, {shared, kOthers}},
    {evict_shared, {shared, kMine}, {unshared, 0}},
    {evict_modified, {modified, kMine}, {unshared, 0}},
};

}  // namespace

TEST_CASE("an event changes the switch's state twice: it takes the lock, then returns it with the new metadata",
          "[claim:concordia-inv-two-state-writes]") {
  // The repaired rules number the transmissions of a requester in one more array, which every packet of his changes.
  for (const auto idempotence : {FlowCcOptions::Idempotence::paper, FlowCcOptions::Idempotence::safe}) {
    const bool numbered = idempotence == FlowCcOptions::Idempotence::safe;
    for (const Event& event : kEvents) {
      INFO(to_string(event.type) << ", " << to_string(event.before.status) << ", copyset " << event.before.copyset);
      LcfSwitch lcf(eight_nodes(idempotence));
      const Tag tag = lcf.run.protocol->block_of(lcf.run.shared_block(2));
      lcf.set_metadata(tag, event.before);
      const auto array = [&](const char* name, bool of_way = true) {
        return lcf.pipeline.registers().array(name + (of_way ? std::to_string(lcf.way_of(tag)) : ""));
      };
      ChangingPasses changing(lcf);

      const PassResult forwarded = changing.pass(lcf.packet(event.type, tag, kMe, kMe, 1, 1));
      REQUIRE_FALSE(forwarded.resubmit);
      for (const Sent& sent : forwarded.sent) {  // the agents answer
        FlowCcHeader answer = sent.header;
        answer.set_type(ack);
        answer.receiver = static_cast<std::uint64_t>(Receiver::requester);
        answer.node_id = sent.node;
        changing.pass(answer);
      }
      CHECK(lcf.metadata(tag) == event.before);
      FlowCcHeader unlock = lcf.packet(event.type == read_miss ? unlock_read : unlock_write, tag, kMe, kMe, 1, 2);
      unlock.set_metadata(event.after);
      const PassResult first = changing.pass(unlock);
      REQUIRE(first.resubmit);
      CHECK(lcf.lock(tag) != 0);
      changing.pass(unlock, first.resubmit_data);
      CHECK(lcf.lock(tag) == 0);
      CHECK(lcf.metadata(tag) == event.after);

      std::vector<std::set<std::uint32_t>> passes;
      for (std::set<std::uint32_t> arrays : changing.passes) {
        if (numbered) arrays.erase(array("SERIAL", false));
        if (!arrays.empty()) passes.push_back(std::move(arrays));
      }
      REQUIRE(passes.size() == 2);
      CHECK(passes[0] == std::set<std::uint32_t>{array("LOCK"), array("SCOREBOARD", false)});
      std::set<std::uint32_t> release{array("LOCK"), array("SCOREBOARD", false), array("LAST_UNLOCK", false)};
      if (event.before.status != event.after.status) release.insert(array("G_STATUS"));
      if (event.before.copyset != event.after.copyset) release.insert(array("COPYSET"));
      CHECK(passes[1] == release);
    }
  }
}

TEST_CASE("a request that does not get its lock is answered by the switch with a failed ACK, and changes nothing",
          "[claim:concordia-inv-conflict-failed-ack]") {
  for (const MessageType holder : {read_miss, write_miss}) {
    for (const MessageType type : {read_miss, write_miss, write_shared, evict_shared, evict_modified}) {
      INFO(to_string(type) << " while a " << to_string(holder) << " holds the lock");
      LcfSwitch lcf(eight_nodes());
      const Tag tag = lcf.run.protocol->block_of(lcf.run.shared_block(2));
      // A block that the second requester holds, as far as his request needs it.
      const bool miss = type == read_miss || type == write_miss;
      lcf.set_metadata(tag, {shared, miss ? kOthers : kOthers | node_bit(kAnother)});
      lcf.pass(lcf.packet(holder, tag, kMe, kMe, 1, 1));
      const std::uint64_t held = lcf.lock(tag);
      CHECK(held == (holder == read_miss ? 1 : 0x8000));
      const PassResult result = lcf.pass(lcf.packet(type, tag, kAnother, kAnother, 1, 1));
      if (holder == read_miss && type == read_miss) {  // readers share the lock
        CHECK(lcf.lock(tag) == 2);
        continue;
      }
      CHECK_FALSE(result.resubmit);
      REQUIRE(result.sent.size() == 1);
      CHECK(result.sent[0].node == kAnother);
      CHECK(result.sent[0].header.message_type() == failed_ack);
      CHECK(lcf.lock(tag) == held);
      CHECK(lcf.read("SCOREBOARD", 2 * kAnother + 1) == 0);
      CHECK(lcf.metadata(tag) == GlobalMetadata{shared, miss ? kOthers : kOthers | node_bit(kAnother)});
    }
  }
}

TEST_CASE("a lock of 16 bits has room for 32,767 readers, and the next one fails instead of becoming a writer",
          "[off:concordia-inv-reader-limit]") {
  LcfSwitch lcf(eight_nodes());
  const Tag tag = lcf.run.protocol->block_of(lcf.run.shared_block(2));
  lcf.set_metadata(tag, {shared, kOthers});
  p4::RegisterFile& registers = lcf.pipeline.registers();
  const auto index = set_index(tag, lcf.run.setup.flowcc.entries_per_way);
  registers.write(registers.array("LOCK" + std::to_string(lcf.way_of(tag))), index, 0x7ffe);
  CHECK(lcf.pass(lcf.packet(read_miss, tag, kMe, kMe, 1, 1)).sent.at(0).header.message_type() == read_miss);
  CHECK(lcf.lock(tag) == 32'767);
  const PassResult refused = lcf.pass(lcf.packet(read_miss, tag, kAnother, kAnother, 1, 1));
  REQUIRE(refused.sent.size() == 1);
  CHECK(refused.sent[0].node == kAnother);
  CHECK(refused.sent[0].header.message_type() == failed_ack);
  CHECK(lcf.lock(tag) == 32'767);
}

}  // namespace switch_state_test
