// The choice of a data provider (Concordia §5.1.1): the load is even, the switch and a home agent choose alike, and an
// event with none or several providers is noticed.
#include "protocols/flowcc/rules/provider.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "tests/protocols/flowcc/switch/lcf_switch.hpp"
#include "tests/sim/random/chi_square.hpp"

namespace provider_test {

using namespace racksim;
using namespace racksim::flowcc;
using namespace racksim::flowcc::testing;
using enum MessageType;
using enum GlobalStatus;

namespace {

/// How often each node was picked in `events` events of random holders, and how often it should have been.
struct Load {
  explicit Load(unsigned nodes) : picked(nodes), probability(nodes, 1.0 / nodes) {}
  bool is_even() const { return tests::chi_square(picked, probability) < tests::chi_square_limit(picked.size() - 1); }
  std::vector<std::uint64_t> picked;
  std::vector<double> probability;
};

Setup rack_of(std::uint64_t nodes) {
  Setup setup;
  setup.rack.nodes = nodes;
  setup.micro.threads = 1;
  setup.micro.sharing_ratio = 1;
  setup.micro.shared_bytes = nodes * 4096;
  return setup;
}

/// A rack in which these nodes hold a block, each with a value of its own, so that a reader's tells the provider.
struct Told : FlowCcScript {
  Told(FlowCcOptions::Ownership ownership, Copyset holders) : FlowCcScript(setup_of(ownership)) {
    for (models::NodeId node = 0; node < 16; ++node) {
      if ((holders & node_bit(node)) != 0) access({node, 0}, block, false);
    }
    for (models::NodeId node = 0; node < 16; ++node) {
      if ((holders & node_bit(node)) != 0) protocol->node(node).cache().find(tag)->value = sim::Value{1000u + node};
    }
  }
  static Setup setup_of(FlowCcOptions::Ownership ownership) {
    Setup setup = rack_of(16);
    setup.flowcc.ownership = ownership;
    return setup;
  }
  models::NodeId provider(models::NodeId reader) {
    access({reader, 0}, block, false);
    return static_cast<models::NodeId>(protocol->node(reader).cache().find(tag)->value - 1000);
  }
  models::GlobalAddress block = shared_block(2);
  Tag tag = protocol->block_of(block);
};

FlowCcHeader acknowledgement(models::NodeId from, Copyset holders, bool provides, std::uint64_t serial = 1,
                             bool again = false, GlobalStatus status = shared) {
  FlowCcHeader h;
  h.set_type(MessageType::ack);
  h.set_metadata({status, holders});
  h.node_id = from;
  h.serial = serial;
  h.is_data_provider = provides;
  h.retransmitted = again;
  return h;
}

}  // namespace

TEST_CASE("each order holds every node once, and each node stands at every place equally often") {
  for (const unsigned nodes : {1u, 2u, 4u, 8u, 16u}) {
    const ProviderOrders orders(nodes);
    std::map<std::pair<std::size_t, models::NodeId>, unsigned> at;
    for (unsigned hash = 0; hash < orders.kOrders; ++hash) {
      const auto order = orders.order(hash);
      for (std::size_t place = 0; place < order.size(); ++place) ++at[{place, order[place]}];
      std::vector<models::NodeId> sorted(order.begin(), order.end());
      std::sort(sorted.begin(), sorted.end());
      for (models::NodeId node = 0; node < nodes; ++node) REQUIRE(sorted.at(node) == node);
    }
    REQUIRE(at.size() == nodes * nodes);
    for (const auto& [place_and_node, count] : at) CHECK(count == orders.kOrders / nodes);
  }
}

TEST_CASE("of two holders each provides for half of the hash values, and of more none for much more than its share") {
  for (const unsigned nodes : {8u, 16u}) {
    const ProviderOrders orders(nodes);
    for (Copyset holders = 1; holders < Copyset{1} << nodes; ++holders) {
      const auto count = static_cast<unsigned>(__builtin_popcount(holders));
      if (nodes == 16 && count > 2 && holders % 97 != 0) continue;  // a sample
      std::vector<unsigned> picked(nodes);
      for (unsigned hash = 0; hash < orders.kOrders; ++hash) ++picked[orders.pick(holders, hash)];
      for (unsigned node = 0; node < nodes; ++node) {
        const bool holds = (holders & node_bit(static_cast<models::NodeId>(node))) != 0;
        if (!holds) REQUIRE(picked[node] == 0);
        if (holds && count == 2) REQUIRE(picked[node] == orders.kOrders / 2);
        if (holds) REQUIRE(picked[node] * count < 2 * orders.kOrders);
      }
    }
  }
}

TEST_CASE("the load of providing is even over many events, with 16 nodes and with numbers that are no power of two") {
  for (const unsigned nodes : {3u, 8u, 13u, 14u, 15u, 16u}) {
    const ProviderOrders orders(nodes);
    sim::RandomStream random(nodes, "holders");
    Load any(nodes), all(nodes);
    const Copyset everybody = (Copyset{1} << nodes) - 1;
    for (std::uint32_t event = 0; event < 20'000; ++event) {
      const std::uint64_t requester = random.below(4 * nodes);
      // Many misses alternate with evictions, so that only every other number is a miss.
      const unsigned hash = orders.hash(RequesterId{requester}, Seq{2 * event});
      ++any.picked[orders.pick(static_cast<Copyset>(1 + random.below(everybody)), hash)];
      ++all.picked[orders.pick(everybody, hash)];
    }
    INFO(nodes << " nodes");
    CHECK(any.is_even());
    CHECK(all.is_even());
  }
}

TEST_CASE("16 nodes: the switch asks those holders that the orders say, evenly") {
  LcfSwitch lcf(rack_of(16));
  const Tag tag = lcf.run.protocol->block_of(lcf.run.shared_block(2));
  const ProviderOrders orders(16);
  sim::RandomStream random(1, "holders");
  Load load(16);
  std::vector<std::uint32_t> serial(16), seq(16);
  for (int event = 0; event < 20'000; ++event) {
    const auto requester = static_cast<models::NodeId>(random.below(16));
    const auto holders = static_cast<Copyset>(random.below(0x10000)) & ~node_bit(requester);
    if (holders == 0) continue;
    lcf.set_metadata(tag, {shared, holders});
    // A reader does not exclude others: 20,000 fit the lock.
    const PassResult result =
        lcf.pass(lcf.packet(read_miss, tag, requester, requester, ++seq[requester], ++serial[requester]));
    REQUIRE(result.sent.size() == 1);
    REQUIRE(result.sent[0].header.is_data_provider == 1);
    REQUIRE(result.sent[0].node == orders.pick(holders, orders.hash(RequesterId{requester}, Seq{seq[requester]})));
    ++load.picked[result.sent[0].node];
  }
  CHECK(load.is_even());
}

TEST_CASE("16 nodes: the switch and a home agent choose the same provider for the same event") {
  sim::RandomStream random(3, "holders");
  std::vector<models::NodeId> providers;
  for (int i = 0; i < 12; ++i) {
    const auto reader = static_cast<models::NodeId>(random.below(16));
    const auto holders = static_cast<Copyset>(random.below(0x10000) | 0x8001) & ~node_bit(reader);
    Told in_switch(FlowCcOptions::Ownership::switch_owned, holders), at_home(FlowCcOptions::Ownership::home, holders);
    providers.push_back(in_switch.provider(reader));
    CHECK((holders & node_bit(providers.back())) != 0);
    CHECK(providers.back() == at_home.provider(reader));
  }
  std::sort(providers.begin(), providers.end());
  CHECK(providers.front() != providers.back());
}

TEST_CASE("on clean wires every miss of a held block has one provider, as the requester's acknowledgements tell") {
  for (const auto ownership : {FlowCcOptions::Ownership::switch_owned, FlowCcOptions::Ownership::home}) {
    for (const std::uint64_t nodes : {4u, 16u}) {
      Setup setup = rack_of(nodes);
      setup.flowcc.ownership = ownership;
      FlowCcRun run(setup);
      run.finish();
      CHECK(run.violations() == "");
      CHECK(run.counter("provided_events") > 500);
      CHECK(run.counter("data_providers") == run.counter("provided_events"));
    }
  }
}

TEST_CASE("a transmission that asks none or several of the holders for the data is wrong") {
  constexpr Copyset kHolders = node_bit(1) | node_bit(2) | node_bit(5);
  {
    ProviderCount one;
    for (const models::NodeId node : {1, 2, 5, 5})
      one.acknowledged(write_miss, acknowledgement(node, kHolders, node == 5));
    CHECK_FALSE(one.wrong());
    CHECK(one.latest().providers == node_bit(5));
  }
  ProviderCount none;
  for (const models::NodeId node : {1, 2}) none.acknowledged(write_miss, acknowledgement(node, kHolders, false));
  CHECK_FALSE(none.wrong());  // node 5 may be asked yet
  none.acknowledged(write_miss, acknowledgement(5, kHolders, false));
  REQUIRE(none.wrong());
  CHECK(none.wrong()->providers == 0);
  ProviderCount two;
  two.acknowledged(write_miss, acknowledgement(1, kHolders, true));
  two.acknowledged(write_miss, acknowledgement(5, kHolders, true));
  REQUIRE(two.wrong());
  CHECK(two.wrong()->providers == (node_bit(1) | node_bit(5)));
  ProviderCount unasked;  // a READ-MISS goes to one holder alone
  unasked.acknowledged(read_miss, acknowledgement(2, kHolders, false));
  CHECK(unasked.wrong());
}

TEST_CASE("a retransmission, or a second copy of a packet, that finds another copyset may have another provider") {
  constexpr Copyset kBefore = node_bit(1) | node_bit(2), kAfter = kBefore | node_bit(5);
  ProviderCount again;
  again.acknowledged(read_miss, acknowledgement(1, kBefore, true, 1));
  for (const models::NodeId node : {1, 2, 5})
    again.acknowledged(read_miss, acknowledgement(node, kAfter, node == 5, 2, true));
  CHECK_FALSE(again.wrong());
  ProviderCount copied;
  copied.acknowledged(read_miss, acknowledgement(1, kBefore, true, 1));
  copied.acknowledged(read_miss, acknowledgement(5, kAfter, true, 1));
  CHECK_FALSE(copied.wrong());
}

TEST_CASE("an event with two data providers is a violation when the run is over") {
  FlowCcScript run(rack_of(4));
  const auto block = run.shared_block(2);
  run.access({1, 0}, block, false);
  run.access({3, 0}, block, false);
  run.begin({0, 0}, block, true);
  Requester& requester = run.protocol->node(0).requester(0);
  while (!requester.event().active()) run.advance(10_ns);
  run.advance(500_ns);
  // Both holders say that they were asked.
  for (const models::NodeId node : {1, 3}) {
    FlowCcHeader h = acknowledgement(node, node_bit(1) | node_bit(3), true);
    h.seq = requester.event().seq();
    p4::PacketRef packet = run.rack.make_packet(0, kFlowCcPort, 0);
    packet->push(h);
    requester.on_packet(std::move(packet));
  }
  run.advance(300_us);
  const auto leaks = run.protocol->leaks();
  REQUIRE(leaks.size() == 1);
  CHECK(leaks[0].kind == "data-provider");
  CHECK_THAT(leaks[0].what,
             Catch::Contains("WRITE-MISS") && Catch::Contains("acknowledged by {n1, n3}, of whom {n1, n3}"));
  run.finish();
  CHECK(run.violations({"data-provider"}) == "");
}

}  // namespace provider_test
