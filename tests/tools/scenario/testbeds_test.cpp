// What the testbeds' constants come to when put together.
#include <catch2/catch.hpp>
#include <memory>

#include "models/packets/addressing.hpp"
#include "models/rack/rack.hpp"
#include "p4model/language/headers.hpp"
#include "tools/files/data_files.hpp"
#include "tools/scenario/catalogue.hpp"
#include "tools/scenario/scenario.hpp"

namespace testbeds_test {

using namespace racksim;

namespace {

/// Answers a packet with another of the same size, or notes when it came.
struct PingPong final : models::PacketHandler {
  PingPong(models::Rack& on, models::NodeId at, bool answering) : rack(&on), node(at), answers(answering) {}
  void send(models::NodeId to, std::uint16_t to_queue_pair) {
    auto packet = rack->make_packet(to, static_cast<std::uint16_t>(queue_pair), to_queue_pair);
    packet->payload_bytes = 18;  // of a 64-byte frame, behind Ethernet, IPv4 and UDP
    rack->server(node).nic().send_raw(models::Qpn{queue_pair}, std::move(packet));
  }
  void on_packet(p4::PacketRef packet) override {
    if (answers) {
      return send(static_cast<models::NodeId>(packet->get<p4::Ipv4>().src - models::ipv4_of(0)),
                  static_cast<std::uint16_t>(packet->get<p4::Udp>().src_port));
    }
    came = rack->calendar().now();
  }
  models::Rack* rack;
  models::NodeId node;
  bool answers;
  std::uint32_t queue_pair = 0;
  sim::Time came{};
};

sim::Time small_packet_round_trip(const models::RackOptions& options) {
  sim::Calendar calendar;
  sim::EventLog event_log;
  sim::Metrics metrics;
  models::Rack rack(calendar, event_log, metrics, options, 1);
  PingPong here(rack, 0, false), there(rack, 1, true);
  for (PingPong* end : {&here, &there}) {
    auto& server = rack.server(end->node);
    end->queue_pair = server.nic().create_raw_qp(server.core(0), *end);
  }
  here.send(1, static_cast<std::uint16_t>(there.queue_pair));
  calendar.run_until();
  return here.came;
}

}  // namespace

TEST_CASE("the calibrated latencies of concordia-8 give the measured round trip through a switch") {
  const auto testbed = tools::load_testbed((tools::scenarios_folder() / "testbeds/concordia-8.json").string(),
                                           tools::built_in_catalogue());
  const auto& options = *testbed.rack.options;
  // IBM/tulips: 2170 ns between ConnectX-5 NICs through a switch.
  CHECK(small_packet_round_trip(options).ns() == Approx(2170).margin(1));
  // A round trip is what the timeouts are multiples of.
  CHECK(options.rtt.ns() >= small_packet_round_trip(options).ns());
}

TEST_CASE("the calibrated latencies of selcc-16 give the measured round trip") {
  const auto testbed =
      tools::load_testbed((tools::scenarios_folder() / "testbeds/selcc-16.json").string(), tools::built_in_catalogue());
  const auto& options = *testbed.rack.options;
  // ib_send_lat: 0.82 us one way for a SEND of 32 B.
  CHECK(small_packet_round_trip(options).ns() == Approx(1640).margin(1));
  CHECK(options.rtt.ns() >= small_packet_round_trip(options).ns());
}

TEST_CASE("the calibrated latencies of cckvs-9 give the measured round trip through an InfiniBand switch") {
  const auto testbed =
      tools::load_testbed((tools::scenarios_folder() / "testbeds/cckvs-9.json").string(), tools::built_in_catalogue());
  const auto& options = *testbed.rack.options;
  // IBM/tulips: 2170 ns between ConnectX-5 NICs through an SX6030.
  CHECK(small_packet_round_trip(options).ns() == Approx(2170).margin(1));
  CHECK(options.rtt.ns() >= small_packet_round_trip(options).ns());
}

}  // namespace testbeds_test
