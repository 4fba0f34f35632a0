// The testbed cckvs-9 full of datagrams from all nodes to all: packet-bound when they are small, as ccKVS §8.4 has it,
// and bandwidth-bound when they are not.
#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "models/rack/rack.hpp"
#include "tools/files/data_files.hpp"
#include "tools/scenario/catalogue.hpp"
#include "tools/scenario/scenario.hpp"

namespace cckvs_packets_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::sim::literals;

namespace {

RackOptions cckvs_9() {
  const auto testbed =
      tools::load_testbed((tools::scenarios_folder() / "testbeds/cckvs-9.json").string(), tools::built_in_catalogue());
  return *testbed.rack.options;
}

/// Every thread of every node sends to the thread of its number at the other nodes in turn, a batch with one completion
/// after the other, and receives what the others send.
struct AllToAll {
  struct Thread final : CompletionHandler {
    Thread(AllToAll& owner, NodeId at, unsigned its_number)
        : rack(owner),
          node(at),
          number(its_number),
          nic(owner.rack.server(at).nic()),
          queue(nic.create_completion_queue(owner.rack.server(at).core(its_number), *this)),
          pair(nic.create_datagram({queue, queue})),
          list(kBatch) {
      pair.post_receive(kReceives, {.wr_id = 0, .bytes = 4096});
    }
    void on_completion(const Completion& completion) override {
      CHECK(completion.status == Status::success);
      if (completion.opcode != Opcode::receive) return post();
      ++received;
      pair.post_receive(1, {.wr_id = 0, .bytes = 4096});
    }
    void post() {
      const auto nodes = static_cast<unsigned>(rack.rack.nodes());
      for (unsigned i = 0; i < kBatch; ++i) {
        const auto to = static_cast<NodeId>((node + 1 + turn % (nodes - 1)) % nodes);
        list[i].bytes = rack.payloads[turn % rack.payloads.size()];
        list[i].destination = {to, rack.threads[to][number]->pair.number()};
        list[i].signalled = i + 1 == kBatch;
        ++turn;
      }
      REQUIRE(pair.post(list) == kBatch);
    }
    AllToAll& rack;
    NodeId node;
    unsigned number;
    Nic& nic;
    CompletionQueue& queue;
    Datagram& pair;
    std::vector<WorkRequest> list;
    std::size_t turn = 0;
    std::uint64_t received = 0;
  };

  static constexpr unsigned kBatch = 16, kReceives = 4096;

  AllToAll(const RackOptions& options, std::vector<std::uint32_t> bytes)
      : payloads(std::move(bytes)), rack(calendar, event_log, metrics, options, 1) {
    for (NodeId node = 0; node < options.nodes; ++node) {
      threads.emplace_back();
      for (unsigned i = 0; i < options.cores; ++i) threads.back().push_back(std::make_unique<Thread>(*this, node, i));
    }
  }
  std::uint64_t received() const {
    std::uint64_t sum = 0;
    for (const auto& of_node : threads) {
      for (const auto& thread : of_node) sum += thread->received;
    }
    return sum;
  }
  /// Packets a second, in the steady state.
  double rate() {
    // The nodes begin apart, so that their packets, which come at one rate, do not meet in the switch each time.
    for (const auto& of_node : threads) {
      for (const auto& thread : of_node) {
        thread->post();
        thread->post();
      }
      calendar.run_until(calendar.now() + 23'300_ps);
    }
    calendar.run_until(sim::Time{} + 50_us);
    const std::uint64_t before = received(), events = calendar.executed();
    std::uint64_t bits = bits_sent();
    calendar.run_until(sim::Time{} + 250_us);
    const auto packets = static_cast<double>(received() - before);
    events_per_packet = static_cast<double>(calendar.executed() - events) / packets;
    gbps_of_a_node = static_cast<double>(bits_sent() - bits) / 200e3 / static_cast<double>(rack.nodes());
    CHECK(rack.accounting().dropped(DropReason::tail_drop) == 0);
    CHECK(rack.accounting().dropped(DropReason::ring_full) == 0);
    return packets / 200e-6;
  }
  std::uint64_t bits_sent() {
    std::uint64_t sum = 0;
    for (NodeId node = 0; node < rack.nodes(); ++node) sum += rack.uplink(node).bytes_sent() * 8;
    return sum;
  }

  std::vector<std::uint32_t> payloads;
  sim::Calendar calendar;
  sim::EventLog event_log;
  sim::Metrics metrics;
  Rack rack;
  std::vector<std::vector<std::unique_ptr<Thread>>> threads;  // by node and number
  double events_per_packet = 0, gbps_of_a_node = 0;
};

}  // namespace

TEST_CASE(
    "Nine nodes of cckvs-9 exchange 428 M small packets a second, and no more without the limit of the switch "
    "than their NICs do",
    "[claim:cckvs-s84-switch-pps]") {
  // Requests and responses of ccKVS are 113 bytes together, 56.5 on average: 34 around payloads of 22.5, made of ones
  // that need no padding.
  const std::vector<std::uint32_t> payloads{20, 24, 20, 24, 20, 24, 24, 24};
  AllToAll limited(cckvs_9(), payloads);
  CHECK(limited.rate() == Approx(9 * 47.6e6).epsilon(0.01));
  CHECK(limited.gbps_of_a_node == Approx(21.5).epsilon(0.01));
  CHECK(limited.events_per_packet < 3.2);  // at the switch, at the NIC, on the core; a completion for sixteen
  auto options = cckvs_9();
  options.network_switch.port_packets_per_second = 0;
  CHECK(AllToAll(options, payloads).rate() == Approx(9 * 59.5e6).epsilon(0.01));
}

TEST_CASE("Small packets among large ones come at the scarcer of packets and bits of cckvs-9") {
  // As requests and responses of a store with objects of 128 to 1,024 bytes, with 34 bytes around each.
  for (const std::uint32_t large : {120, 248, 504, 1016}) {
    AllToAll t(cckvs_9(), {12, large});
    const double bytes = 34 + (12 + large) / 2.0;
    CHECK(t.rate() == Approx(9 * std::min(47.6e6, 54e9 / 8 / bytes)).epsilon(0.015));
  }
}

TEST_CASE("Packets of 1 KB come at the rate of the links of cckvs-9") {
  AllToAll t(cckvs_9(), {1024});
  CHECK(t.rate() == Approx(9 * 54e9 / (8 * (1024 + 34))).epsilon(0.01));
}

}  // namespace cckvs_packets_test
