// Packet files are read exactly, and what is wrong with one is said with its place and what was expected.
#include <catch2/catch.hpp>

#include "tests/tools/lone_switch/examples.hpp"
#include "tests/tools/refusal.hpp"

namespace packet_file_test {

using namespace racksim;
using namespace racksim::tools;
using namespace racksim::tools::testing;
using Catch::Contains;

namespace {

LoneSwitchSetup read(const std::string& text, const std::string& program = "l2l3-forwarding") {
  // The program must live as long as what points into it.
  static std::vector<std::shared_ptr<const p4::Program>> kept;
  kept.push_back(program_named(program));
  return read_packet_file(parse_json(text, "p.json"), "p.json", *kept.back());
}

/// The refusal of a file that has one packet beside `members`.
std::string refusal_of(const std::string& members) {
  return refusal([&] { read("{" + members + R"(, "packets": [{"port": 0, "headers": {"ethernet": {}}}]})"); });
}
/// The refusal of a file with one packet.
std::string refusal_of_packet(const std::string& packet) {
  return refusal([&] { read(R"({"packets": [)" + packet + "]}"); });
}

}  // namespace

TEST_CASE("values are numbers, hexadecimal, MAC and IPv4 addresses, and defaults are those of the header's type") {
  const auto setup = read(R"({"packets": [{"port": 3, "time": "1.5ns", "payload": "00ffab", "headers": {
    "ethernet": {"dst": "02:00:00:00:00:0a", "ether_type": "0x0800"}, "ipv4": {"dst": "10.1.2.3", "ttl": 7}}}]})");
  const auto& packet = setup.packets.at(0);
  CHECK(packet.port == 3);
  CHECK(packet.time == sim::Time::from_ps(1500));
  CHECK(packet.payload_bytes == 3);
  CHECK(packet.payload == std::vector<std::byte>{std::byte{0}, std::byte{0xff}, std::byte{0xab}});
  CHECK(packet.headers.at(0).words == std::vector<std::uint64_t>{0x02000000000a, 0, 0x0800});
  const auto& ipv4 = packet.headers.at(1).words;
  CHECK(ipv4[0] == 4);  // the version, by default
  CHECK(ipv4[8] == 7);
  CHECK(ipv4[12] == 0x0a010203);
}

TEST_CASE("a packet with something unknown or too wide, or at a port that is not there, is refused by its place") {
  CHECK(
      refusal_of_packet(R"({"port": 0, "headers": {"ethernt": {}}})") ==
      "p.json: /packets/0/headers/ethernt: found \"ethernt\", expected a header of the program: \"ethernet\", \"ipv4\" "
      "or \"udp\" (did you mean \"ethernet\"?)");
  CHECK_THAT(refusal_of_packet(R"({"port": 0, "headers": {"ethernet": {"dest": 1}}})"),
             Contains("/packets/0/headers/ethernet/dest: found \"dest\"") && Contains("did you mean \"dst\"?"));
  CHECK_THAT(refusal_of_packet(R"({"port": 0, "headers": {"ethernet": {"ether_type": 65536}}})"),
             Contains("/packets/0/headers/ethernet/ether_type: found the number 65536, expected a value of 16 bits"));
  CHECK_THAT(refusal_of_packet(R"({"port": 0, "headers": {"ethernet": {"dst": "02:00:00:00:00"}}})"),
             Contains("/ethernet/dst: found") && Contains("a MAC address"));
  CHECK_THAT(refusal_of_packet(R"({"port": 0, "headers": {"ethernet": {}, "ipv4": {"dst": "10.0.0.256"}}})"),
             Contains("/ipv4/dst: found") && Contains("an IPv4 address"));
  CHECK_THAT(refusal_of_packet(R"({"port": 32, "headers": {"ethernet": {}}})"),
             Contains("/packets/0/port: found the number 32, expected a whole number from 0 to 31"));
  CHECK_THAT(refusal_of_packet(R"({"headers": {"ethernet": {}}})"), Contains("a member \"port\""));
  CHECK_THAT(refusal_of_packet(R"({"port": 0, "headers": {}})"), Contains("/packets/0/headers: found no header"));
  CHECK_THAT(refusal_of_packet(R"({"port": 0, "payload": "0g", "headers": {"ethernet": {}}})"),
             Contains("/packets/0/payload: found the string \"0g\""));
  CHECK_THAT(refusal_of_packet(R"({"port": 0, "time": "2s", "headers": {"ethernet": {}}})"),
             Contains("at most \"1s\""));
  CHECK_THAT(refusal([] { read(R"({"packets": []})"); }), Contains("/packets: found no packets"));
  CHECK_THAT(refusal([] { read("{}"); }),
             Contains("/packets: found nothing, expected an array of at least one packet"));
}

TEST_CASE("an entry of an unknown table or action, with a key or data that do not suit, is refused by its place") {
  const auto entry = [](const std::string& members) { return refusal_of(R"("tables": [{)" + members + "}]"); };
  CHECK_THAT(entry(R"("table": "forward_by_mak")"), Contains("/tables/0/table") && Contains("\"forward_by_mac\"?"));
  CHECK_THAT(entry(R"("table": "forward_by_mac", "key": {})"), Contains("a member \"ethernet.dst\""));
  const std::string key = R"("table": "forward_by_mac", "key": {"ethernet.dst": 1}, )";
  CHECK_THAT(entry(key + R"("action": "forward_drop")"), Contains("/tables/0/action"));
  CHECK_THAT(entry(key + R"("action": "forward_to_port")"), Contains("a member \"data\""));
  CHECK_THAT(entry(key + R"("action": "forward_to_port", "data": {"port": 512})"),
             Contains("/tables/0/data/port: found the number 512, expected a value of 9 bits"));
  CHECK_THAT(entry(key + R"("action": "forward_to_port", "data": {"port": 1}, "pipe": 2)"),
             Contains("/tables/0/pipe: found the number 2, expected a whole number from 0 to 1"));
}

TEST_CASE("an entry that the table itself refuses is refused by its place") {
  const std::string entry =
      R"({"table": "forward_by_mac", "key": {"ethernet.dst": 1}, "action": "forward_to_port", "data": {"port": 1}})";
  const auto text =
      R"({"tables": [)" + entry + "," + entry + R"(], "packets": [{"port": 0, "headers": {"ethernet": {}}}]})";
  CHECK_THAT(refusal([&] { story_of("l2l3-forwarding", parse_json(text, "p.json")); }),
             Contains("/tables/1") && Contains("already"));
}

TEST_CASE("registers, groups and the switch's constants are checked too") {
  const auto with = [](const std::string& members) {
    return refusal(
        [&] { read("{" + members + R"(, "packets": [{"port": 0, "headers": {"ethernet": {}}}]})", "flowcc-lcf"); });
  };
  CHECK_THAT(with(R"("registers": [{"array": "LOKC1", "index": 0, "value": 1}])"),
             Contains("/registers/0/array") && Contains("\"LOCK1\"?"));
  CHECK_THAT(with(R"("registers": [{"array": "LOCK1", "index": 41667, "value": 1}])"),
             Contains("/registers/0/index: found the number 41667, expected a whole number from 0 to 41666"));
  CHECK_THAT(with(R"("registers": [{"array": "LOCK1", "index": 0, "value": 65536}])"), Contains("a value of 16 bits"));
  CHECK_THAT(with(R"("registers": [{"array": "LOCK1", "index": 0, "lo": 1}])"), Contains("/registers/0/lo"));
  CHECK_THAT(with(R"("multicast": [{"group": 65536, "nodes": []}])"), Contains("/multicast/0/group"));
  CHECK_THAT(with(R"("multicast": [{"group": 1, "nodes": [{"ports": [35]}]}])"),
             Contains("/multicast/0/nodes/0/ports/0: found the number 35, expected a port from 0 to 34"));
  CHECK_THAT(with(R"("switch": {"prots": 4})"), Contains("/switch/prots") && Contains("\"ports\"?"));
  CHECK_THAT(with(R"("port_rate": "fast")"), Contains("/port_rate"));
}

TEST_CASE("mirror sessions, LAGs and applications of the packet generator are checked by their place") {
  CHECK_THAT(refusal_of(R"("mirrors": [{"session": 0, "port": 1}])"),
             Contains("/mirrors/0/session: found the number 0, expected a whole number from 1 to 1023"));
  CHECK_THAT(refusal_of(R"("mirrors": [{"session": 1, "port": 35}])"), Contains("/mirrors/0/port"));
  CHECK_THAT(refusal_of(R"("mirrors": [{"session": 1, "port": 1, "bytes": 0}])"), Contains("/mirrors/0/bytes"));
  CHECK_THAT(refusal_of(R"("lags": [{"id": 256, "ports": []}])"), Contains("/lags/0/id"));
  CHECK_THAT(refusal_of(R"("multicast": [{"group": 1, "nodes": [{"lags": [256]}]}])"),
             Contains("/multicast/0/nodes/0/lags/0: found the number 256, expected a LAG from 0 to 255"));
  const auto generator = [](const std::string& members) {
    return R"({"generators": [{)" + members + R"("headers": {"ethernet": {}}}]})";
  };
  CHECK_THAT(refusal([&] { read(generator("")); }), Contains("/generators/0") && Contains("a member \"app\""));
  CHECK_THAT(refusal([&] { read(generator(R"("app": 8, )")); }), Contains("/generators/0/app"));
  CHECK_THAT(refusal([&] { read(generator(R"("app": 1, "packets": 65537, )")); }), Contains("/generators/0/packets"));
  // Ten packets, 100 ns apart, take longer than the 900 ns until it fires again.
  const auto again = generator(R"("app": 1, "packets": 10, "packet_gap": "100ns", "period": "900ns", )");
  CHECK_THAT(refusal([&] { story_of("l2l3-forwarding", parse_json(again, "p.json")); }),
             Contains("packets.json: /generators/0: found generator application 1: it fires again before"));
}

TEST_CASE("meters are checked by their place, and take rates in their own unit") {
  const auto meters = [](const std::string& meter) {
    return R"({"tables": [{"table": "hosts", "key": {"ipv4.dst": "10.0.0.9"}, "action": "forward", "data": {"port": 2}}],
               "meters": [{)" +
           meter + R"(}], "packets": [{"port": 0, "headers": {"ethernet": {}}}]})";
  };
  const std::string rates = R"(, "committed_burst": 1, "peak_burst": 2)";
  const std::string bits = R"(, "committed": "8Mbps", "peak": "16Mbps")" + rates;
  const std::string packets = R"(, "committed": 5, "peak": 6)" + rates;
  const auto setup = read(meters(R"("meter": "POLICE", "index": 3)" + bits), "example-meters");
  CHECK(setup.meters.at(0).entry.index == 3);
  CHECK(setup.meters.at(0).rates ==
        p4::MeterRates{.committed = 1'000'000, .peak = 2'000'000, .committed_burst = 1, .peak_burst = 2});
  const auto refused = [&](const std::string& meter) {
    return refusal([&] { story_of("example-meters", parse_json(meters(meter), "p.json")); });
  };
  CHECK_THAT(refused(R"("meter": "POLCIE", "index": 3)" + bits),
             Contains("/meters/0/meter") && Contains("\"POLICE\"?"));
  CHECK_THAT(refused(R"("meter": "POLICE", "index": 512)" + bits), Contains("/meters/0/index"));
  CHECK_THAT(refused(R"("meter": "POLICE", "index": 3)" + packets), Contains("/meters/0/committed"));
  CHECK_THAT(refused(R"("meter": "POLICE", "index": 3, "key": {})" + bits), Contains("/meters/0/key"));
  CHECK_THAT(refused(R"("meter": "ALLOWANCE", "index": 3)" + packets), Contains("/meters/0/index"));
  CHECK_THAT(refused(R"("meter": "ALLOWANCE", "key": {"ipv4.dst": "10.0.0.1"})" + packets),
             Contains("/meters/0: found a key that the table has no entry for"));
  CHECK(refused(R"("meter": "ALLOWANCE", "key": {"ipv4.dst": "10.0.0.9"})" + packets) == "accepted");
  CHECK_THAT(refused(R"("meter": "POLICE", "index": 3, "committed": "2Mbps", "peak": "1Mbps")" + rates),
             Contains("/meters/0: found meter 'POLICE': the peak rate"));
}

TEST_CASE("value sets, ports that go down and triggers are checked by their place") {
  const auto refused = [](const std::string& program, const std::string& members) {
    return refusal([&] {
      story_of(program,
               parse_json("{" + members + R"(, "packets": [{"port": 0, "headers": {"ethernet": {}}}]})", "p.json"));
    });
  };
  const auto values = [&](const std::string& value) {
    return refused("example-value-sets", R"("value_sets": [)" + value + "]");
  };
  CHECK_THAT(values(R"({"set": "ROCE", "value": 1})"), Contains("/value_sets/0/set") && Contains("\"ROCE_PORTS\""));
  CHECK_THAT(values(R"({"set": "ROCE_PORTS", "value": 65536})"), Contains("/value_sets/0/value"));
  CHECK_THAT(values(R"({"set": "ROCE_PORTS", "value": 3, "mask": 1})"), Contains("/value_sets/0: found value set"));
  const auto down = [&](const std::string& port) {
    return refused("l2l3-forwarding", R"("ports_down": [)" + port + "]");
  };
  CHECK_THAT(down(R"({"port": 33, "time": "1us"})"), Contains("/ports_down/0/port"));
  CHECK_THAT(down(R"({"port": 1})"), Contains("/ports_down/0") && Contains("\"time\""));
  CHECK_THAT(down(R"({"port": 1, "time": "1us", "until": "1us"})"), Contains("later than \"time\""));
  const auto generator = [&](const std::string& members) {
    return refused("l2l3-forwarding", R"("generators": [{"app": 1, "headers": {"ethernet": {}}, )" + members + "}]");
  };
  CHECK_THAT(generator(R"("trigger": "port_up")"), Contains("/generators/0/trigger") && Contains("\"port_down\""));
  CHECK_THAT(generator(R"("trigger": "port_down", "period": "1us")"), Contains("/generators/0/period"));
  CHECK_THAT(generator(R"("match": 1)"), Contains("/generators/0/match"));
  CHECK_THAT(generator(R"("trigger": "recirculation", "match": 1)"), Contains("\"mask\""));
  CHECK_THAT(generator(R"("trigger": "recirculation", "match": 3, "mask": 1)"),
             Contains("/generators/0: found generator application 1: the match 0x3"));
}

}  // namespace packet_file_test
