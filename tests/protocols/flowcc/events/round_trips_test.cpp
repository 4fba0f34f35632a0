// How many legs the critical path of a coherence event has, and how much of it each agent does (Concordia §4.2, §5.4),
// whatever the costs of the hardware: counted from the packets on the wires.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>

#include "models/packets/packet_observer.hpp"
#include "tests/protocols/flowcc/flowcc_run.hpp"

namespace round_trips_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;
using Ownership = FlowCcOptions::Ownership;

namespace {

/// A leg is a packet's way from a server through the switch to a server. Follows one operation: which packets left and
/// reached each node, and after how many legs.
class Legs final : models::PacketObserver {
 public:
  explicit Legs(FlowCcScript& run) : run_(run) {
    run.rack.context().add_packet_observer(*this);
    for (models::NodeId node = 0; node < run.rack.nodes(); ++node) {
      const auto number = std::to_string(node);
      up_["wire/node" + number + "-switch"] = node;
      down_["wire/switch-node" + number] = node;
    }
  }

  /// One access, from a rack at rest to a rack at rest.
  void follow(models::Session session, models::GlobalAddress address, bool write) {
    depth_of_node_.assign(run_.rack.nodes(), 0);
    sent.assign(run_.rack.nodes(), 0);
    received = sent;
    depth_of_packet_.clear();
    arrivals_.clear();
    unlock_left = sim::Time::max();
    run_.begin(session, address, write, &ended);
    run_.calendar.run_until(run_.calendar.now() + 300_us);
    critical = 0;
    for (const auto& [node, at, depth] : arrivals_) {
      if (node == session.node && at <= ended) critical = std::max(critical, depth);
    }
  }

  int critical = 0;                           ///< legs up to the last packet that the access waited for
  sim::Time ended, unlock_left;               ///< the end of the access; when its first unlock was on the wire
  std::vector<std::uint64_t> sent, received;  ///< by node: FlowCC's packets and blocks, no acknowledgements of NICs

 private:
  struct Arrival {
    models::NodeId node;
    sim::Time at;
    int depth;
  };

  void on_wire(const p4::Packet& packet, const models::WirePassage& passage) override {
    const auto description = run_.protocol->describe(packet);
    REQUIRE(description);
    const std::string wire(run_.event_log.name(passage.wire));
    const auto* header = packet.find<FlowCcHeader>();
    const bool counts = header != nullptr || packet.payload_bytes >= run_.setup.flowcc.block_bytes;
    if (const auto from = up_.find(wire); from != up_.end()) {
      depth_of_packet_[packet.serial] = depth_of_node_[from->second] + 1;
      sent[from->second] += counts;
      const auto type = header != nullptr ? header->message_type() : MessageType::none;
      const bool unlock = type == MessageType::unlock_read || type == MessageType::unlock_write;
      if (unlock) unlock_left = std::min(unlock_left, passage.start);
    } else {
      const models::NodeId to = down_.at(wire);
      received[to] += counts;
      // Whatever a node sends later may follow from this.
      depth_of_node_[to] = std::max(depth_of_node_[to], depth_of_packet_.at(packet.serial));
      arrivals_.push_back({to, passage.arrival, depth_of_packet_.at(packet.serial)});
    }
  }
  void dropped(const p4::Packet&, sim::Source, sim::Time, models::DropReason) override {}
  void delivered(const p4::Packet&, sim::Source, sim::Time) override {}
  void pass_begins(const p4::Packet&, unsigned, sim::Time, bool) override {}
  void switch_written(const models::SwitchWrite&) override {}

  FlowCcScript& run_;
  std::map<std::string, models::NodeId> up_, down_;
  std::vector<int> depth_of_node_;
  std::map<std::uint64_t, int> depth_of_packet_;
  std::vector<Arrival> arrivals_;
};

constexpr models::NodeId kMe = 5;

Setup quiet(Ownership ownership, std::uint64_t nodes) {
  Setup setup;
  setup.flowcc.ownership = ownership;
  setup.rack.nodes = nodes;
  setup.flowcc.cache_bytes = 8 * 4096;
  setup.micro.threads = 1;
  setup.micro.sharing_ratio = 1;
  setup.micro.shared_bytes = 10 * nodes * 4096;
  return setup;
}

/// An event of node 5 on a block whose home is node 0, and what has happened to the block before.
struct Case {
  const char* name;
  std::vector<std::pair<models::NodeId, bool>> before;  ///< who has accessed it, and whether to write
  bool write;
  bool answered_by_switch = false;
  bool unshared = false;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"READ-MISS, Unshared", {}, false, false, true},
      {"READ-MISS, Shared", {{1, false}, {2, false}}, false},
      {"READ-MISS, Modified", {{1, true}}, false},
      {"WRITE-MISS, Unshared", {}, true, false, true},
      {"WRITE-MISS, Shared", {{1, false}, {2, false}, {3, false}}, true},
      {"WRITE-MISS, Modified", {{1, true}}, true},
      {"WRITE-SHARED with other sharers", {{1, false}, {2, false}, {kMe, false}}, true},
      {"WRITE-SHARED of the only sharer", {{kMe, false}}, true, true},
  };
  return all;
}

}  // namespace

TEST_CASE(
    "an event on a block that the switch owns is one round trip, and its unlock leaves when the operation has ended",
    "[claim:concordia-inv-one-rtt]") {
  for (const Case& c : cases()) {
    INFO(c.name);
    FlowCcScript run(quiet(Ownership::switch_owned, 6));
    for (const auto& [node, write] : c.before) run.access({node, 0}, run.shared_block(0), write);
    Legs legs(run);
    legs.follow({kMe, 0}, run.shared_block(0), c.write);
    // To a server and back; or to the switch and back, which is one leg.
    CHECK(legs.critical == (c.answered_by_switch ? 1 : 2));
    REQUIRE(legs.unlock_left < sim::Time::max());
    CHECK(legs.unlock_left > legs.ended);
    run.finish();
    CHECK(run.violations() == "");
  }
}

TEST_CASE("an eviction on a block that the switch owns adds its way to the switch and back to the miss that needs room",
          "[claim:concordia-inv-one-rtt]") {
  for (const bool dirty : {false, true}) {
    FlowCcScript run(quiet(Ownership::switch_owned, 6));
    // One bucket of eight entries: the ninth block evicts the first.
    for (std::uint64_t block = 0; block < 8; ++block) run.access({kMe, 0}, run.shared_block(block), dirty);
    Legs legs(run);
    legs.follow({kMe, 0}, run.shared_block(8), false);
    CHECK(run.counter(dirty ? "requests.evict_modified" : "requests.evict_shared") == 1);
    CHECK(legs.critical == 1 + 2);
    run.finish();
    CHECK(run.violations() == "");
  }
}

TEST_CASE("through a home agent an event on a block with other holders takes one leg more than through the switch",
          "[claim:concordia-inv-dir-extra-hop]") {
  for (const Case& c : cases()) {
    INFO(c.name);
    FlowCcScript run(quiet(Ownership::home, 6));
    for (const auto& [node, write] : c.before) run.access({node, 0}, run.shared_block(0), write);
    Legs legs(run);
    legs.follow({kMe, 0}, run.shared_block(0), c.write);
    // The home agent answers itself what nobody else need hear of: no detour if it has the data anyway.
    CHECK(legs.critical == (c.unshared || c.answered_by_switch ? 2 : 3));
    run.finish();
    CHECK(run.violations() == "");
  }
}

TEST_CASE("an agent receives one packet of an event and sends at most two, whatever the size of the rack",
          "[claim:concordia-inv-agent-const-work]") {
  for (const std::uint64_t nodes : {3, 8, 16}) {
    const auto me = static_cast<models::NodeId>(nodes - 1);
    for (const bool miss : {false, true}) {
      INFO(nodes << " nodes" << (miss ? ", WRITE-MISS" : ", WRITE-SHARED"));
      FlowCcScript run(quiet(Ownership::switch_owned, nodes)), base(quiet(Ownership::home, nodes));
      std::uint64_t providers = 0;
      for (FlowCcScript* rack : {&run, &base}) {
        for (models::NodeId node = 1; node < nodes; ++node) {
          if (node != me || !miss) rack->access({node, 0}, rack->shared_block(0), false);
        }
      }
      Legs legs(run), base_legs(base);
      legs.follow({me, 0}, run.shared_block(0), true);
      base_legs.follow({me, 0}, base.shared_block(0), true);
      CHECK(legs.received[0] == 0);  // the home
      for (models::NodeId node = 1; node < me; ++node) {
        CHECK(legs.received[node] == 1);
        CHECK(legs.sent[node] <= 2);
        providers += legs.sent[node] - 1;
      }
      CHECK(providers == (miss ? 1 : 0));
      // What the switch takes from the agents: a copy for every holder.
      CHECK(base_legs.sent[0] == nodes - 2 + 1);
    }
    // A home agent that the switch asks for a block nobody caches: the acknowledgement and the block.
    FlowCcScript run(quiet(Ownership::switch_owned, nodes));
    Legs legs(run);
    legs.follow({me, 0}, run.shared_block(0), false);
    CHECK(legs.received[0] == 1);
    CHECK(legs.sent[0] == 2);
  }
}

}  // namespace round_trips_test
