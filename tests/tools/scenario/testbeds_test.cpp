// What the testbeds' constants come to when put together.
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "models/packets/addressing.hpp"
#include "models/rack/idle_path.hpp"
#include "models/rack/rack.hpp"
#include "p4model/language/headers.hpp"
#include "tools/files/data_files.hpp"
#include "tools/scenario/catalogue.hpp"
#include "tools/scenario/contradictions.hpp"
#include "tools/scenario/scenario.hpp"

namespace testbeds_test {

using namespace racksim;
using namespace racksim::sim::literals;

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

namespace {

/// A testbed's link as GAM's Table 1 has links: GB a second, and microseconds of a small packet one way.
struct LinkFigures {
  double gigabytes_per_second, latency_us;
};

LinkFigures link_of(const std::string& name) {
  const auto testbed = tools::load_testbed(tools::find_testbed_file(name, {}), tools::built_in_catalogue());
  const models::RackOptions& options = *testbed.rack.options;
  return {static_cast<double>(options.link_bits_per_second) / 8e9,
          (small_packet_round_trip(options) - sim::Time{}).ns() / 2e3};
}

}  // namespace

TEST_CASE("an InfiniBand QDR link has the latency of GAM's Table 1, and 4 GB/s of its 5", "[off:gam-tab1-ib-qdr-4x]") {
  const LinkFigures qdr = link_of("gam-8");
  CHECK(qdr.latency_us == Approx(1.3).margin(0.05));        // to which it was fitted
  CHECK(qdr.gigabytes_per_second == Approx(5 * 8.0 / 10));  // 8b/10b code
}

TEST_CASE("an InfiniBand FDR link has the rate of GAM's Table 1, and not its latency", "[off:gam-tab1-ib-fdr-4x]") {
  const LinkFigures fdr = link_of("selcc-16");
  CHECK(fdr.gigabytes_per_second == Approx(7).margin(0.5));
  CHECK(fdr.latency_us > 0.75);
}

TEST_CASE("the idle path is what a packet and its answer take, whatever link, switch and NIC are") {
  const auto near = [](const models::RackOptions& options) {
    // A pass begins with a cycle of the switch.
    const double cycle = 1e9 / static_cast<double>(options.network_switch.clock_hz);
    CHECK(models::idle_round_trip(options).ns() ==
          Approx(small_packet_round_trip(options).ns()).margin(2 * cycle + 0.01));
  };
  for (const std::string& name : tools::testbed_names()) {
    INFO(name);
    const auto testbed = tools::load_testbed(tools::find_testbed_file(name, {}), tools::built_in_catalogue());
    const models::RackOptions& own = *testbed.rack.options;
    near(own);
    // The published figure stands for its own rack.
    CHECK(own.rtt.ns() == Approx(models::idle_round_trip(own).ns()).epsilon(0.02));
    auto changed = own;
    changed.link_propagation += 600_ns;
    near(changed);
    changed.link_bits_per_second = 1'000'000'000;
    near(changed);
    changed.nic.inline_bytes = 0;
    changed.nic.pcie_latency += 40_ns;
    changed.nic.pcie_bits_per_second = 3'000'000'000;
    near(changed);
    changed.nic.transmit_latency += 5_ns;
    changed.nic.receive_latency += 7_ns;
    near(changed);
    changed.network_switch.parser_latency += 11_ns;
    changed.network_switch.deparser_latency += 13_ns;
    changed.network_switch.traffic_manager_latency += 17_ns;
    changed.network_switch.clock_hz = 300'000'000;
    near(changed);
    changed.cpu.receive += 19_ns;
    changed.cpu.poll += 23_ns;
    near(changed);
    changed.link_framing =
        own.link_framing == models::Framing::ethernet ? models::Framing::infiniband : models::Framing::ethernet;
    near(changed);
  }
}

TEST_CASE("a rack with another link, switch or NIC has another round trip, unless the scenario gives it") {
  const auto rack = [](const std::string& testbed, const std::string& changes) {
    const auto document = tools::parse_json(R"({"version": 1, "rack": {"testbed": ")" + testbed + "\"" + changes +
                                                R"(}, "protocol": {"name": "flowcc"}, "workload": {"kind": "micro"}})",
                                            "f");
    return *tools::read_scenario(document, "f", tools::built_in_catalogue()).rack.options;
  };
  for (const std::string& name : tools::testbed_names()) {
    INFO(name);
    const models::RackOptions own = rack(name, "");
    CHECK(rack(name, R"(, "nodes": 4, "cpu": {"cores": 30}, "nic": {"mtu": "1KiB"}, "switch": {"ports": 16})").rtt ==
          own.rtt);
    // Two links there and two back.
    CHECK(rack(name, R"(, "link": {"propagation": "610ns"})").rtt ==
          own.rtt + (610_ns - own.link_propagation) * std::int64_t{4});
    CHECK(rack(name, R"(, "switch": {"traffic_manager_latency": "1us"})").rtt ==
          own.rtt + (1_us - own.network_switch.traffic_manager_latency) * std::int64_t{2});
    CHECK(rack(name, R"(, "nic": {"transmit_latency": "1us"})").rtt ==
          own.rtt + (1_us - own.nic.transmit_latency) * std::int64_t{2});
    CHECK(rack(name, R"(, "nic": {"transmit_latency": "0ns"}, "link": {"propagation": "0ns"})").rtt < own.rtt);
    CHECK(rack(name, R"(, "rtt": "300ns", "link": {"propagation": "610ns"})").rtt == 300_ns);
  }
}

TEST_CASE("what is given against what follows is told with both numbers, and nothing else is") {
  const auto told = [](const std::string& changes, const std::string& protocol = R"({"name": "flowcc"})",
                       const std::string& workload = "micro") {
    const auto document =
        tools::parse_json(R"({"version": 1, "rack": {"testbed": "concordia-8")" + changes + R"(}, "protocol": )" +
                              protocol + R"(, "workload": {"kind": ")" + workload + R"("}})",
                          "f");
    return tools::contradictions(tools::read_scenario(document, "f", tools::built_in_catalogue()));
  };
  const std::string takes = ", but by the constants of link, switch and NIC a message and its answer take ";
  CHECK(told("").empty());
  CHECK(told(R"(, "link": {"propagation": "610ns"})").empty());
  CHECK(told(R"(, "rtt": "2170ns")").empty());
  CHECK(told(R"(, "rtt": "4300ns")").empty());
  CHECK(told(R"(, "rtt": "300ns")") == std::vector<std::string>{"rtt is 300 ns" + takes + "2171 ns"});
  CHECK(told(R"(, "rtt": "5us")") == std::vector<std::string>{"rtt is 5000 ns" + takes + "2171 ns"});
  CHECK(told(R"(, "rtt": "2200ns", "link": {"propagation": "610ns"})") ==
        std::vector<std::string>{"rtt is 2200 ns" + takes + "4571 ns"});
  CHECK(told(R"(, "nic": {"rc_retransmission_timeout": "2us"})") ==
        std::vector<std::string>{"nic.rc_retransmission_timeout is 2000 ns" + takes + "2171 ns"});
  CHECK(told("", R"({"name": "nocache", "nocache": {"timeout": "2us"}})", "key-value") ==
        std::vector<std::string>{"nocache waits for an answer 2000 ns" + takes + "2171 ns"});
  CHECK(told(R"(, "switch": {"pipe": {"stages": 1}})").empty());  // no room for any program: the run says so
}

}  // namespace testbeds_test
