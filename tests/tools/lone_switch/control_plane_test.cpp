// The control plane of a packet file: its operations and rules reach the pipeline through the control CPU, and what the
// file expects is judged.
#include <algorithm>
#include <catch2/catch.hpp>

#include "p4model/language/headers.hpp"
#include "tests/tools/lone_switch/examples.hpp"
#include "tests/tools/refusal.hpp"

namespace control_plane_test {

using namespace racksim;
using namespace racksim::tools;
using namespace racksim::tools::testing;
using namespace racksim::sim::literals;
using Catch::Contains;

namespace {

using Ports = std::vector<unsigned>;

/// A bridge of four ports in one pipe, with more members, and with packets from port 1 to 02:..:0a at these times.
JsonValue bridge(const std::string& members, const std::vector<std::string>& times) {
  std::string packets;
  for (const auto& time : times) {
    packets += std::string(packets.empty() ? "" : ", ") + R"({"port": 1, "time": ")" + time +
               R"(", "headers": {"ethernet": {"src": "02:00:00:00:00:0b", "dst": "02:00:00:00:00:0a"}}})";
  }
  return parse_json(R"({"switch": {"ports": 4, "ports_per_pipe": 4},
    "multicast": [{"group": 1, "nodes": [{"ports": [0, 1, 2, 3]}]}], "exclusions": [{"id": 1, "ports": [1]}],
    "tables": [{"table": "known", "key": {"ethernet.src": "02:00:00:00:00:0b"}, "action": "known_source"}],)" +
                        members + R"("packets": [)" + packets + "]}",
                    "packets.json");
}

const std::string kTo = R"({"table": "bridge", "key": {"ethernet.dst": "02:00:00:00:00:0a"})";
std::string to_port(int port, const std::string& more = "") {
  return kTo + R"(, "action": "to_port", "data": {"port": )" + std::to_string(port) + "}" + more + "}";
}

std::vector<Ports> ports_of_all(const SwitchStory& story) {
  std::vector<Ports> all;
  for (const auto& packet : story.packets) all.push_back(ports_of(packet));
  return all;
}

}  // namespace

TEST_CASE("a timed write is in force from its slot on, a latency after it was posted; what it says is answered") {
  // One packet has a slot before, one a slot behind it.
  const auto story = story_of(
      "example-digests",
      bridge(R"("control": [{"at": "5us", "write": )" + to_port(2) + R"(}, {"at": "8us", "write": )" + to_port(3) +
                 R"(}, {"at": "11us", "delete": )" + kTo + R"(}}, {"at": "14us", "delete": )" + kTo + "}}],",
             {"5.899us", "5.901us", "9us", "13us"}));
  CHECK(ports_of_all(story) == std::vector<Ports>{{0, 2, 3}, {2}, {3}, {0, 2, 3}});
  REQUIRE(story.control.size() == 4);
  std::vector<std::string> answers;
  for (const auto& control : story.control) {
    REQUIRE(control.answers.size() == 1);
    const auto& answer = control.answers[0];
    answers.push_back(answer.text);
    CHECK(answer.acted > control.at + 900_ns);
    CHECK(answer.acted < control.at + 900_ns + story.ingress_latency);
  }
  CHECK(answers == std::vector<std::string>{"added", "changed", "deleted", "there is none"});
  // There, through the ingress and back.
  CHECK(story.control[0].answers[0].answered == sim::Time{} + 5_us + 900_ns * 2 + story.ingress_latency);
}

TEST_CASE("operations of one instant reach the pipe one behind the other, at the control CPU's rate") {
  const auto story =
      story_of("example-visits", parse_json(R"({"switch": {"ports": 4, "ports_per_pipe": 2, "control_rate": 500000},
        "control": [{"at": "1us", "write": {"array": "VISITS", "index": 5, "value": 7}},
                    {"at": "1us", "write": {"array": "VISITS", "index": 6, "value": 8, "pipe": 1}}],
        "packets": [{"port": 0, "headers": {"ethernet": {}}}]})",
                                            "packets.json"));
  REQUIRE(story.control.size() == 2);
  REQUIRE(story.control[0].answers.size() == 2);  // in both pipes
  REQUIRE(story.control[1].answers.size() == 1);
  const auto& second = story.control[0].answers[1];
  CHECK(second.pipe == 1);
  CHECK(second.acted - story.control[0].answers[0].acted == 2_us);
  CHECK(story.control[1].answers[0].acted - second.acted == 2_us);
}

TEST_CASE("a read finds what packets and writes before it have left") {
  const auto story = story_of("example-visits", parse_json(R"({"switch": {"ports": 4, "ports_per_pipe": 4},
        "control": [{"at": "1us", "write": {"array": "VISITS", "index": 5, "value": 40}},
                    {"at": "5us", "read": {"array": "VISITS", "index": 5}, "expect": {"value": 41}},
                    {"at": "6us", "read": {"table": "round", "key": {"ipv4.ttl": 3}}, "expect": {"absent": true}}],
        "packets": [{"port": 0, "time": "3us", "headers": {"ethernet": {"ether_type": 2048}, "ipv4": {"dscp": 5}}}]})",
                                                           "packets.json"));
  CHECK(story.control.at(1).answers.at(0).text == "41");
  CHECK(story.control.at(2).answers.at(0).text == "there is none");
  CHECK(story.expectations == 2);
  CHECK(story.failures.empty());
}

TEST_CASE("a rule answers each digest with values of it, and a full table says so") {
  const auto story = story_of_example("example-digests", "learning");
  CHECK(story.failures.empty());
  REQUIRE(story.digests.size() == 2);
  const auto answers_first = std::find_if(story.control.begin(), story.control.end(),
                                          [](const auto& one) { return one.object == "bridge" && !one.cause.empty(); });
  REQUIRE(answers_first != story.control.end());
  CHECK(answers_first->at == story.digests[0].at);
  CHECK(answers_first->cause == "digest learn");
  CHECK(answers_first->key == NamedValues{{"ethernet.dst", "02:00:00:00:00:0a"}});
  CHECK(answers_first->value == "to_port(port 1)");

  std::string tables;
  for (int i = 0; i < 1024; ++i) {
    tables += std::string(i ? "," : "") + R"({"table": "known", "key": {"ethernet.src": )" + std::to_string(i) +
              R"(}, "action": "known_source"})";
  }
  const auto full = story_of("example-digests", parse_json(R"({"tables": [)" + tables + R"(],
        "control": [{"on": {"digest": "learn"}, "write": {"table": "known", "pipe": 0,
                     "key": {"ethernet.src": {"field": "ethernet.src"}}, "action": "known_source"}}],
        "packets": [{"port": 0, "headers": {"ethernet": {"src": 5000}}}]})",
                                                           "packets.json"));
  CHECK(full.control.at(0).answers.at(0).text == "table 'known' is full with 1024 entries");
}

TEST_CASE("a rule takes the values of the digest that it answers, field by field") {
  const auto cached = story_of("example-cache", parse_json(R"({"switch": {"ports": 4, "ports_per_pipe": 4},
    "tables": [{"table": "clients", "key": {"ethernet.dst": 1}, "action": "to_client", "data": {"port": 1}}],
    "control": [{"on": {"digest": "answered"}, "write": {"table": "cache", "key": {"question.key":
                 {"field": "question.value"}}, "action": "answer", "data": {"value": {"field": "question.key"}}}}],
    "packets": [{"port": 3, "headers": {"ethernet": {"dst": 1}, "question": {"answers": 1, "key": 7, "value": 99}}}],
    "expect": {"tables": [{"table": "cache", "key": {"question.key": 99}, "action": "answer",
                           "data": {"value": 7}}]}})",
                                                           "packets.json"));
  CHECK(cached.expectations == 1);
  CHECK(cached.failures.empty());
}

TEST_CASE("a rule writes registers at an index and with a value of its digest, both of fields that are narrow enough") {
  const auto program = std::make_shared<p4::Program>("notes", "tells of all frames");
  program->parser_state<p4::Ethernet>(p4::Gress::ingress, "ethernet");
  const auto type = program->header_field(&p4::Ethernet::ether_type), src = program->header_field(&p4::Ethernet::src);
  program->register_array("TYPES", p4::Width::single(32), 512);
  program->digest(1, "seen", {program->intrinsics().ingress_port, type, src});
  program->ingress().apply(program->action("tell").set(program->digest_type(), 1).set(program->intrinsics().drop, 1));
  const auto failures = [&](const std::string& write) {
    const auto setup = read_packet_file(parse_json(R"({"control": [{"on": {"digest": "seen"}, "write": {)" + write +
                                                       R"(}}], "packets": [{"port": 3, "headers": {"ethernet":
      {"ether_type": 2048}}}], "expect": {"registers": [{"array": "TYPES", "index": 3, "value": 2048}]}})",
                                                   "p.json"),
                                        "p.json", *program);
    return send_through_switch(program, setup).failures;
  };
  const std::string by_port = R"("array": "TYPES", "index": {"field": "ingress_port"})";
  const std::string value = R"(, "value": {"field": "ethernet.ether_type"})";
  CHECK(failures(by_port + value).empty());
  CHECK_THAT(refusal([&] { failures(R"("array": "TYPES", "index": {"field": "ethernet.ether_type"})" + value); }),
             Contains("/control/0/write/index/field: found \"ethernet.ether_type\" of 16 bits, expected a field whose "
                      "values are all below 512"));
  CHECK_THAT(refusal([&] { failures(by_port + R"(, "value": {"field": "ethernet.src"})"); }),
             Contains("/control/0/write/value/field: found \"ethernet.src\" of 48 bits"));
  CHECK_THAT(refusal([&] { failures(by_port + value + R"(, "lo": 1)"); }), Contains("/control/0/write/lo"));
}

TEST_CASE("an entry that times out is told, and a rule answers that with its key") {
  const auto story = story_of_example("example-digests", "aging");
  CHECK(story.failures.empty());
  std::vector<ControlStory::Type> types;
  for (const auto& one : story.control) types.push_back(one.type);
  using Type = ControlStory::Type;
  REQUIRE(types == std::vector<Type>{Type::timeout, Type::erase, Type::erase});
  CHECK(story.control[0].key == NamedValues{{"ethernet.src", "02:00:00:00:00:0a"}});
  // At the driver's query at 80 ms, in a slot of the pipe, and over PCIe.
  CHECK(story.control[0].at > sim::Time{} + 80_ms + 900_ns);
  CHECK(story.control[0].at < sim::Time{} + 80_ms + 900_ns + story.ingress_latency);
  CHECK(story.control[1].cause == "time-out in known");
  CHECK(story.control[2].answers.at(0).text == "deleted");
}

TEST_CASE("an entry that is written with a time to live times out, one that was deleted before does not") {
  const auto known = [](int address, const std::string& more = "") {
    return R"({"table": "known", "key": {"ethernet.src": )" + std::to_string(address) + "}" + more + "}";
  };
  const std::string lives = R"(, "action": "known_source", "ttl": "50ms")";
  const auto story = story_of(
      "example-digests",
      bridge(R"("until": "70ms", "idle_timeouts": [{"table": "known", "interval": "10ms"}], "control": [
                 {"at": "1us", "write": )" +
                 known(1, lives) + R"(}, {"at": "1us", "write": )" + known(2, lives) + R"(}, {"at": "1us", "write": )" +
                 known(3, R"(, "action": "known_source")") + R"(}, {"at": "30ms", "delete": )" + known(2) + "}],",
             {"1us"}));
  std::vector<ControlStory> timeouts;
  for (const auto& one : story.control) {
    if (one.type == ControlStory::Type::timeout) timeouts.push_back(one);
  }
  REQUIRE(timeouts.size() == 1);
  CHECK(timeouts[0].key == NamedValues{{"ethernet.src", "00:00:00:00:00:01"}});
  CHECK(timeouts[0].at > sim::Time{} + 50_ms);  // docs/hardware.md 6.10: at the driver's fifth query
  CHECK(timeouts[0].at < sim::Time{} + 50_ms + 2_us);
}

TEST_CASE("each expectation that does not hold is a line with what was found and expected") {
  const auto failures = [](const std::string& members, const std::string& expect = "") {
    auto document = bridge(members, {"1us"});
    if (!expect.empty()) document.find("packets")->find(std::size_t{0})->set("expect", parse_json(expect, "e"));
    return story_of("example-digests", document).failures;
  };
  using Lines = std::vector<std::string>;
  CHECK(failures("", R"([{"port": 0}, {"port": 2}, {"port": 3}])").empty());
  CHECK(failures("", "[]") == Lines{"packets.json: /packets/0/expect: found it leaving by ports 0, 2, 3, expected "
                                    "nothing that leaves"});
  const std::string table = R"("control": [{"at": "0ns", "write": )" + to_port(2) + "}],";
  CHECK(failures(table, R"([{"port": 3}])") ==
        Lines{"packets.json: /packets/0/expect: found it leaving by port 2, expected it leaving by port 3"});
  // It takes two passes and the traffic manager to leave.
  CHECK_THAT(failures(table, R"([{"port": 2, "from": "2us"}])").at(0),
             Contains("/packets/0/expect/0/from: found 1") && Contains("expected not before 2000.000 ns"));
  CHECK_THAT(failures(table, R"([{"port": 2, "until": "1.1us"}])").at(0), Contains("/packets/0/expect/0/until"));
  CHECK(failures(table, R"([{"port": 2, "from": "1us", "until": "2us", "fields": {"ethernet.src": 5}}])") ==
        Lines{"packets.json: /packets/0/expect/0/fields/ethernet.src: found 02:00:00:00:00:0b, expected "
              "00:00:00:00:00:05"});
  const auto in_the_end = [&](const std::string& expect) { return failures(table + R"("expect": {)" + expect + "},"); };
  CHECK(in_the_end(R"("tables": [)" + to_port(2) + "]").empty());
  CHECK(in_the_end(R"("tables": [)" + to_port(1) + "]") ==
        Lines{"packets.json: /expect/tables/0: found to_port(port 2), expected to_port(port 1)"});
  CHECK(in_the_end(R"("tables": [)" + kTo + R"(, "absent": true}])") ==
        Lines{"packets.json: /expect/tables/0: found to_port(port 2), expected no such entry"});
  CHECK(in_the_end(R"("tables": [{"table": "bridge", "entries": 2}])") ==
        Lines{"packets.json: /expect/tables/0: found 1 entries, expected 2 entries"});
  CHECK(in_the_end(R"("digests": [])").empty());
  CHECK(in_the_end(R"("digests": [{"digest": "learn"}])") ==
        Lines{"packets.json: /expect/digests: found 0 digests, expected 1 digests"});
  const std::string late = R"("until": "2us", "control": [{"at": "1us", "read": )" + kTo + "}, \"expect\": ";
  CHECK_THAT(failures(late + R"({"absent": true}}],)").at(0), Contains("/control/0/expect: found no answer when"));
  const auto unsent = bridge(R"("until": "2us",)", {"3us"});
  auto document = unsent;
  document.find("packets")->find(std::size_t{0})->set("expect", JsonValue::array());
  CHECK_THAT(story_of("example-digests", document).failures.at(0), Contains("/packets/0/expect: found a packet that"));
}

TEST_CASE("a packet that goes round leaves once, by a front port") {
  auto document = read_json_file((scenarios_folder() / "switch" / "visits.json").string());
  document.find("packets")->find(std::size_t{1})->set("expect", parse_json(R"([{"port": 2}])", "e"));
  CHECK(story_of("example-visits", document).failures.empty());
}

TEST_CASE("counters and cells of registers are judged in the end") {
  auto document = read_json_file((scenarios_folder() / "switch" / "meters.json").string());
  const auto judged = [&](const std::string& expect) {
    document.set("expect", parse_json(expect, "e"));
    return story_of("example-meters", document).failures;
  };
  // As the test of that example has them.
  CHECK(judged(R"({"counters": [{"counter": "COLOURS", "index": 1, "packets": 2, "bytes": 200}]})").empty());
  CHECK_THAT(judged(R"({"counters": [{"counter": "COLOURS", "index": 1, "packets": 3}]})").at(0),
             Contains("/expect/counters/0: found 2 packets, expected 3 packets"));
  auto visits = read_json_file((scenarios_folder() / "switch" / "visits.json").string());
  visits.set("expect", parse_json(R"({"registers": [{"array": "VISITS", "index": 9, "value": 42},
                                                    {"array": "VISITS", "index": 5, "value": 42}]})",
                                  "e"));
  const auto story = story_of("example-visits", visits);
  CHECK(story.expectations == 2);
  CHECK(story.failures == std::vector<std::string>{"packets.json: /expect/registers/1: found 1, expected 42"});
}

TEST_CASE("the story as text and as JSON has the control plane's operations between the digests") {
  const auto story = story_of_example("example-digests", "learning");
  const auto text = story_text(story);
  CHECK_THAT(text,
             Contains("the control CPU sets the entry ethernet.dst 02:00:00:00:00:0a of bridge to to_port(port 1), "
                      "for the digest learn\n") &&
                 Contains("in pipe 0: added; known at ") && Contains(" expectations hold"));
  CHECK(text.find("has a digest of pipe 0") < text.find("for the digest learn"));
  const auto json = story_json(story);
  const auto& control = *json.find("control")->elements();
  REQUIRE(control.size() == story.control.size());
  CHECK(*control[0].find("event")->string() == "write");
  CHECK(*control[0].find("cause")->string() == "digest learn");
  CHECK(control[0].find("answers")->elements()->size() == 1);
  CHECK(json.find("failures")->elements()->empty());
}

}  // namespace control_plane_test
