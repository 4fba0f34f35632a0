// What a packet file says of the control plane and of expectations is read exactly, and refused by its place.
#include <catch2/catch.hpp>

#include "tests/tools/lone_switch/examples.hpp"
#include "tests/tools/refusal.hpp"

namespace control_file_test {

using namespace racksim;
using namespace racksim::tools;
using namespace racksim::tools::testing;
using Catch::Contains;

namespace {

/// The refusal of a file for a program that has one packet beside `members`, at the latest when it is sent.
std::string refused(const std::string& program, const std::string& members, const std::string& packet_members = "") {
  return refusal([&] {
    story_of(program, parse_json("{" + members + R"(, "packets": [{"port": 0, "headers": {"ethernet": {}})" +
                                     packet_members + "}]}",
                                 "p.json"));
  });
}
std::string control(const std::string& items, const std::string& program = "example-digests") {
  return refused(program, R"("idle_timeouts": [], "control": [)" + items + "]");
}

const std::string kEntry = R"("table": "bridge", "key": {"ethernet.dst": 1})";
const std::string kWrite = R"("write": {)" + kEntry + R"(, "action": "to_port", "data": {"port": 2}})";

}  // namespace

TEST_CASE("an operation has a time or a trigger, one verb, and times in the order of the file") {
  CHECK(control(R"({"at": "1us", )" + kWrite + "}") == "accepted");
  CHECK(
      control("{" + kWrite + "}") ==
      "packets.json: /control/0: found neither \"at\" nor \"on\", expected a time, \"at\", or what it answers, \"on\"");
  CHECK_THAT(control(R"({"at": "1us", "on": {"digest": "learn"}, )" + kWrite + "}"),
             Contains("/control/0: found both \"at\" and \"on\""));
  CHECK_THAT(control(R"({"at": "1us"})"), Contains("/control/0: found 0 of them, expected one of \"write\""));
  CHECK_THAT(control(R"({"at": "1us", "delete": {}, )" + kWrite + "}"), Contains("/control/0: found 2 of them"));
  CHECK_THAT(control(R"({"at": "2us", )" + kWrite + R"(}, {"at": "1us", )" + kWrite + "}"),
             Contains("/control/1/at: found the string \"1us\", expected a time that is not before that of /control/0, "
                      "\"2us\""));
  CHECK(control(R"({"at": "1us", )" + kWrite + R"(}, {"at": "1us", )" + kWrite + "}") == "accepted");
  CHECK_THAT(control(R"({"at": "2s", )" + kWrite + "}"), Contains("/control/0/at") && Contains("at most \"1s\""));
  CHECK_THAT(control(R"({"at": "1us", "expect": {}, )" + kWrite + "}"), Contains("/control/0/expect"));
}

TEST_CASE("what a program has not, a key that does not suit and values that are too wide are refused") {
  const auto at = [](const std::string& operation) { return control(R"({"at": "1us", )" + operation + "}"); };
  CHECK_THAT(at(R"("write": {"table": "brigde"})"),
             Contains("/control/0/write/table: found \"brigde\"") && Contains("did you mean \"bridge\"?"));
  CHECK_THAT(at(R"("write": {"table": "bridge", "key": {}})"), Contains("a member \"ethernet.dst\""));
  CHECK_THAT(at(R"("write": {)" + kEntry + R"(, "action": "flod"})"),
             Contains("/control/0/write/action") && Contains("\"flood\"?"));
  CHECK_THAT(at(R"("write": {)" + kEntry + R"(, "action": "to_port", "data": {"port": 512}})"),
             Contains("/control/0/write/data/port: found the number 512, expected a value of 9 bits"));
  CHECK_THAT(at(R"("write": {"table": "bridge", "key": {"ethernet.dst": {"value": 1, "mask": 1}}, "action": "flood"})"),
             Contains("packets.json: /control/0: found table 'bridge' matches exactly"));
  CHECK_THAT(at(R"("delete": {"table": "bridge", "key": {"ethernet.dst": "any"}})"),
             Contains("/control/0: found table 'bridge' matches exactly"));
  CHECK_THAT(at(R"("write": {)" + kEntry + R"(, "action": "flood", "pipe": 2})"), Contains("/control/0/write/pipe"));
  CHECK_THAT(at(R"("delete": {)" + kEntry + R"(, "action": "flood"})"), Contains("/control/0/delete/action"));
  CHECK_THAT(at(R"("read": {"array": "VISITS", "index": 0})"), Contains("/control/0/read/array"));
  const auto visits = [](const std::string& operation) {
    return control(R"({"at": "1us", )" + operation + "}", "example-visits");
  };
  CHECK_THAT(visits(R"("write": {"array": "VISIT", "index": 0, "value": 1})"), Contains("\"VISITS\"?"));
  CHECK_THAT(visits(R"("write": {"array": "VISITS", "index": 64, "value": 1})"), Contains("/control/0/write/index"));
  CHECK_THAT(visits(R"("write": {"array": "VISITS", "index": 0, "value": "0x100000000"})"),
             Contains("/control/0/write/value") && Contains("a value of 32 bits"));
  CHECK_THAT(visits(R"("read": {"array": "VISITS", "index": 0}, "expect": {"value": "0x100000000"})"),
             Contains("/control/0/expect/value"));
}

TEST_CASE("a rule names a digest of the program or a table that times out, and takes fields that are narrow enough") {
  const auto on = [](const std::string& trigger, const std::string& operation) {
    return control(R"({"on": )" + trigger + ", " + operation + "}");
  };
  const std::string learn = R"({"digest": "learn"})";
  CHECK_THAT(on(R"({"digest": "lern"})", kWrite), Contains("/control/0/on/digest") && Contains("\"learn\""));
  CHECK_THAT(on("{}", kWrite), Contains("/control/0/on: found both or neither"));
  CHECK_THAT(control(R"({"on": {"digest": "learn"}, "delete": {}})", "l2l3-forwarding"),
             Contains("/control/0/on/digest: found it, expected a program that sends digests"));
  CHECK_THAT(on(R"({"timeout": "known"})", kWrite), Contains("/control/0/on/timeout: found \"known\""));
  CHECK_THAT(on(learn, R"("read": {)" + kEntry + "}"), Contains("/control/0/read"));
  const auto port = [](const std::string& field) {
    return R"("write": {)" + kEntry + R"(, "action": "to_port", "data": {"port": {"field": ")" + field + R"("}}})";
  };
  CHECK(on(learn, port("ingress_port")) == "accepted");
  CHECK_THAT(
      on(learn, port("ethernet.src")),
      Contains("/control/0/write/data/port/field: found \"ethernet.src\" of 48 bits, expected a field of at most "
               "9 bits"));
  CHECK_THAT(on(learn, port("ethernet.dst")), Contains("/control/0/write/data/port/field: found \"ethernet.dst\""));
  CHECK_THAT(control(R"({"at": "1us", )" + port("ingress_port") + "}"), Contains("/control/0/write/data/port"));
}

TEST_CASE("idle time-outs are of tables that have them, at intervals that the hardware can keep") {
  const auto idle = [](const std::string& members, const std::string& more = "") {
    return refused("example-digests", R"("idle_timeouts": [{)" + members + "}]" + more);
  };
  const std::string known = R"("table": "known", "interval": "10ms")";
  CHECK(idle(known) == "accepted");
  CHECK_THAT(idle(R"("table": "bridge", "interval": "10ms")"),
             Contains("/idle_timeouts/0/table: found \"bridge\", expected a table of the program with idle_timeout()"));
  CHECK_THAT(idle(R"("table": "known", "interval": "8ms")"),
             Contains("/idle_timeouts/0/interval: found the string \"8ms\", expected at least \"9ms\""));
  CHECK_THAT(idle(known + R"(, "ttl": "9ms")"), Contains("/idle_timeouts/0/ttl") && Contains("\"10ms\""));
  CHECK_THAT(idle(known + "}, {" + known), Contains("/idle_timeouts/1/table"));
  const std::string entry = R"("key": {"ethernet.src": 1}, "action": "known_source", "ttl": )";
  CHECK(idle(known, R"(, "tables": [{"table": "known", )" + entry + R"("20ms"}])") == "accepted");
  CHECK_THAT(idle(known, R"(, "tables": [{"table": "known", )" + entry + R"("5ms"}])"), Contains("/tables/0/ttl"));
  CHECK_THAT(refused("example-digests", R"("tables": [{"table": "known", )" + entry + R"("20ms"}])"),
             Contains("/tables/0/ttl: found it, expected it in a table that \"idle_timeouts\" has"));
}

TEST_CASE("expectations name ports, fields, tables and digests that there are, with values of their width") {
  const auto packet = [](const std::string& departure) {
    return refused("example-digests", R"("doc": "")", R"(, "expect": [{)" + departure + "}]");
  };
  CHECK_THAT(packet(R"("port": 32)"), Contains("/packets/0/expect/0/port: found the number 32"));
  CHECK_THAT(packet(R"("port": 1, "fields": {"ethernet.dest": 1})"),
             Contains("/packets/0/expect/0/fields/ethernet.dest") && Contains("\"ethernet.dst\"?"));
  CHECK_THAT(packet(R"("port": 1, "fields": {"ethernet.ether_type": 65536})"), Contains("a value of 16 bits"));
  CHECK_THAT(packet(R"("port": 1, "from": "2us", "until": "1us")"), Contains("not earlier than \"from\""));
  const auto in_the_end = [](const std::string& expect) {
    return refused("example-digests", R"("expect": {)" + expect + "}");
  };
  CHECK_THAT(in_the_end(R"("tables": [{"table": "bridge", "entries": 1025}])"), Contains("/expect/tables/0/entries"));
  CHECK_THAT(in_the_end(R"("tables": [{)" + kEntry + R"(, "absent": true, "action": "flood"}])"),
             Contains("/expect/tables/0/action"));
  CHECK_THAT(in_the_end(R"("tables": [{)" + kEntry + R"(, "absent": false}])"), Contains("/expect/tables/0/absent"));
  CHECK_THAT(in_the_end(R"("tables": [{)" + kEntry + "}]"), Contains("a member \"action\""));
  CHECK_THAT(in_the_end(R"("digests": [{"digest": "learn", "values": {"ingress_port": 512}}])"),
             Contains("/expect/digests/0/values/ingress_port"));
  CHECK_THAT(in_the_end(R"("registers": [{"array": "X"}])"), Contains("/expect/registers/0/array"));
  CHECK_THAT(refused("example-meters", R"("expect": {"counters": [{"counter": "COLOURS", "index": 1}]})"),
             Contains("/expect/counters/0: found neither, expected \"packets\" or \"bytes\""));
}

}  // namespace control_file_test
