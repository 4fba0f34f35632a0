// Retransmission as Concordia §5.3 has it: when packets are sent again, what agents do with repeated and old requests,
// and what an unlock waits for.
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "models/packets/packet_observer.hpp"
#include "tests/protocols/flowcc/flowcc_run.hpp"

namespace retransmission_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;
using Idempotence = FlowCcOptions::Idempotence;
using Ownership = FlowCcOptions::Ownership;

namespace {

/// Calls back for each FlowCC packet that a wire takes or loses, and each that reaches a host.
class Taps final : models::PacketObserver {
 public:
  using Call = std::function<void(const FlowCcHeader&, sim::Time)>;
  explicit Taps(FlowCcRun& run) : run_(run) { run.rack.context().add_packet_observer(*this); }

  Call leaves = [](const FlowCcHeader&, sim::Time) {};   ///< a server
  Call arrives = [](const FlowCcHeader&, sim::Time) {};  ///< at a server

 private:
  void on_wire(const p4::Packet& packet, const models::WirePassage& passage) override {
    if (run_.event_log.name(passage.wire).ends_with("-switch")) tell(leaves, packet, passage.start);
  }
  void dropped(const p4::Packet& packet, sim::Source where, sim::Time at, models::DropReason) override {
    if (run_.event_log.name(where).ends_with("-switch")) tell(leaves, packet, at);
  }
  void delivered(const p4::Packet& packet, sim::Source, sim::Time at) override { tell(arrives, packet, at); }
  void pass_begins(const p4::Packet&, unsigned, sim::Time, bool) override {}
  void switch_written(const models::SwitchWrite&) override {}

  static void tell(const Call& call, const p4::Packet& packet, sim::Time at) {
    if (const auto* header = packet.find<FlowCcHeader>()) call(*header, at);
  }
  FlowCcRun& run_;
};

bool is_unlock(const FlowCcHeader& h) {
  return h.message_type() == MessageType::unlock_read || h.message_type() == MessageType::unlock_write;
}

Setup quiet() {
  Setup setup;
  setup.micro.threads = 1;
  setup.micro.sharing_ratio = 1;
  setup.micro.shared_bytes = 40 * 4096;
  setup.flowcc.cache_bytes = 8 * 4096;
  return setup;
}

/// The gaps between the transmissions of the first packet of a kind by node 1 whose way to the switch is lost for 400
/// us.
std::vector<sim::Duration> gaps(Idempotence idempotence, bool unlocks) {
  Setup setup = quiet();
  setup.flowcc.idempotence = idempotence;
  FlowCcScript run(setup);
  Taps taps(run);
  std::vector<sim::Time> times;
  taps.leaves = [&](const FlowCcHeader& h, sim::Time at) {
    if (is_unlock(h) == unlocks && h.requester == 1 && h.seq == 1) times.push_back(at);
  };
  models::TargetedFault drop;
  drop.match.header = "flowcc";
  drop.match.fields = {
      {"type", static_cast<std::uint64_t>(unlocks ? MessageType::unlock_write : MessageType::write_miss)}};
  drop.count = 1'000;
  run.rack.uplink(1).add_targeted_fault(drop);
  run.begin({1, 0}, run.shared_block(0), true);
  run.advance_to(sim::Time{} + 400_us);
  std::vector<sim::Duration> result;
  for (std::size_t i = 1; i < times.size(); ++i) result.push_back(times[i] - times[i - 1]);
  return result;
}

/// A request as a switch that owns the block sends it to an agent of `node`, and its delivery without a wire.
template <class Agent>
void deliver(FlowCcScript& run, Agent& agent, MessageType type, Tag tag, unsigned requester, std::uint32_t seq) {
  FlowCcHeader h;
  h.set_type(type);
  h.set_tag(tag);
  h.is_in_switch = 1;
  h.is_data_provider = 1;
  h.node_id = requester;  // one thread a node
  h.requester = requester;
  h.reply_qp = run.protocol->node(static_cast<models::NodeId>(requester)).requester(0).endpoint().raw_qpn();
  h.seq = seq;
  h.set_metadata({GlobalStatus::shared, node_bit(2)});
  p4::PacketRef packet = run.rack.make_packet(agent.endpoint().node(), kFlowCcPort, 0);
  packet->push(h);
  agent.on_packet(std::move(packet));
}

}  // namespace

TEST_CASE("requests are sent again after six round trips and unlocks after three; the repaired rules then wait longer",
          "[claim:concordia-inv-timeouts]") {
  const sim::Duration rtt = Setup{}.rack.rtt;
  for (const auto& [unlocks, rtts] : {std::pair{false, 6}, std::pair{true, 3}}) {
    INFO((unlocks ? "unlocks" : "requests"));
    const auto printed = gaps(Idempotence::paper, unlocks), repaired = gaps(Idempotence::safe, unlocks);
    REQUIRE(printed.size() >= 10);
    for (const sim::Duration gap : printed) CHECK(gap == rtt * rtts);
    REQUIRE(repaired.size() >= 3);
    for (std::size_t i = 0; i < 3; ++i) CHECK(repaired[i] == rtt * (rtts << i));
  }
}

TEST_CASE("a cache agent executes a sequence number once, acknowledges it again, and ignores older ones",
          "[claim:concordia-inv-agent-idempotent]") {
  FlowCcScript run(quiet());
  const Tag tag = run.protocol->block_of(run.shared_block(0));
  MemoryNode& node = run.protocol->node(2);
  const auto holds_copy = [&] {
    const CacheEntry* entry = node.cache().find(tag);
    return entry != nullptr && entry->valid();
  };
  const auto take_copy = [&] {
    CacheEntry* entry = node.cache().free_entry(tag);
    REQUIRE(entry != nullptr);
    node.cache().assign(*entry, tag);
    entry->state = CacheEntry::State::clean;
  };
  /// What a request adds: whether the copy goes, acknowledgements and blocks sent.
  const auto invalidates = [&](unsigned requester, std::uint32_t seq, std::uint64_t packets) {
    const std::uint64_t before = run.counter("cache_agent.packets_sent");
    deliver(run, node.cache_agent(), MessageType::write_miss, tag, requester, seq);
    CHECK(run.counter("cache_agent.packets_sent") - before == packets);
    return !holds_copy();
  };
  take_copy();
  CHECK(invalidates(1, 5, 2));
  take_copy();  // another event has brought it back
  CHECK_FALSE(invalidates(1, 5, 1));
  CHECK_FALSE(invalidates(1, 5, 1));
  CHECK_FALSE(invalidates(1, 4, 0));
  CHECK(invalidates(3, 1, 2));  // requesters count by themselves
  take_copy();
  CHECK(invalidates(1, 6, 2));
  take_copy();
  CHECK_FALSE(invalidates(1, 5, 0));
  CHECK(run.counter("invalidations") == 3);
  run.finish();
  CHECK(run.violations({"wrong-metadata"}) == "");  // the copy was taken by hand
}

TEST_CASE("a home agent answers a sequence number again and ignores older ones",
          "[claim:concordia-inv-agent-idempotent]") {
  FlowCcScript run(quiet());
  const Tag tag = run.protocol->block_of(run.shared_block(0));
  MemoryNode& home = run.protocol->node(0);
  home.set_global_memory(tag, 42);
  const auto sent_for = [&](std::uint32_t seq) {
    const std::uint64_t before = run.counter("home_agent.packets_sent");
    deliver(run, home.home_agent(), MessageType::read_miss, tag, 1, seq);
    run.advance(50_us);
    return run.counter("home_agent.packets_sent") - before;
  };
  CHECK(sent_for(5) == 2);  // the acknowledgement and the block
  CHECK(sent_for(5) == 1);  // the block is on a reliable connection
  CHECK(sent_for(4) == 0);
  CHECK(sent_for(6) == 2);
  CHECK(home.global_memory(tag) == 42);
  run.finish();
  CHECK(run.violations({"values-at-rest"}) == "");  // the home was written by hand
}

TEST_CASE("a requester sends an unlock only when the one before it has been acknowledged",
          "[claim:concordia-inv-one-unlock-outstanding]") {
  for (const auto ownership : {Ownership::switch_owned, Ownership::home}) {
    Setup setup;
    setup.flowcc.ownership = ownership;
    setup.measure(1'000);
    FlowCcRun run(setup);
    // Acknowledgements that are late, and some that are lost.
    models::WireFaults late;
    late.loss = 0.005;
    late.jitter = 5_us;
    for (models::NodeId node = 0; node < run.rack.nodes(); ++node) run.rack.downlink(node).set_faults(late);
    Taps taps(run);
    std::map<std::uint64_t, std::uint64_t> unacknowledged;  // by requester: the sequence number
    std::uint64_t unlocks = 0, too_early = 0;
    taps.leaves = [&](const FlowCcHeader& h, sim::Time) {
      if (!is_unlock(h)) return;
      const auto [last, first] = unacknowledged.emplace(h.requester, h.seq);
      ++unlocks;
      if (!first && last->second != h.seq) ++too_early;
    };
    taps.arrives = [&](const FlowCcHeader& h, sim::Time) {
      const auto last = unacknowledged.find(h.requester);
      const bool ends = h.message_type() == MessageType::unlock_ack && last != unacknowledged.end();
      if (ends && last->second == h.seq) unacknowledged.erase(last);
    };
    run.finish();
    CHECK(unlocks > 500);
    CHECK(too_early == 0);
  }
}

TEST_CASE("a dirty block that is evicted is in its home's memory before its unlock leaves, written once",
          "[claim:concordia-inv-evict-modified-writeback]") {
  for (const auto idempotence : {Idempotence::paper, Idempotence::safe}) {
    Setup setup = quiet();
    setup.flowcc.idempotence = idempotence;
    FlowCcScript run(setup);
    constexpr models::NodeId kMe = 1;
    // One bucket of eight entries: the ninth block evicts the first, whose home is node 2.
    const auto evicted = run.shared_block(2);
    const Tag tag = run.protocol->block_of(evicted);
    run.access({kMe, 0}, evicted, true);
    const std::uint64_t written = run.protocol->node(kMe).cache().find(tag)->value;
    for (std::uint64_t block = 3; block < 10; ++block) run.access({kMe, 0}, run.shared_block(block), true);
    CHECK(run.protocol->node(2).global_memory(tag) != written);
    Taps taps(run);
    int unlocks = 0;
    taps.leaves = [&](const FlowCcHeader& h, sim::Time) {
      if (!is_unlock(h) || h.tag() != tag) return;
      ++unlocks;
      CHECK(run.protocol->node(2).global_memory(tag) == written);
    };
    run.access({kMe, 0}, run.shared_block(10), false);
    CHECK(unlocks == 1);
    CHECK(run.counter("write_backs") == 1);
    CHECK(run.counter("requests.evict_modified") == 1);
    run.finish();
    CHECK(run.violations() == "");
  }
}

}  // namespace retransmission_test
