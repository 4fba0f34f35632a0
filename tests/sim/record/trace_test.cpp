// The JSON lines of a trace, as text and as a JSON parser reads them.
#include "sim/record/trace.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

namespace trace_test {

using namespace racksim::sim;

TEST_CASE("each observation becomes one line in the order of recording") {
  EventLog event_log;
  std::ostringstream out;
  JsonLinesTrace trace(event_log, out);
  event_log.attach(trace);
  const auto nic = event_log.add_source("node0/nic");
  const auto pipe = event_log.add_source("switch/pipe0");
  event_log.record(Observed::message_sent, nic, Time::from_ps(1500), 7, 64);
  event_log.record(Observed::switch_state, pipe, Time::from_ps(2000), 7, 1, 2, 18446744073709551615u);
  CHECK(out.str() ==
        "{\"t_ps\":1500,\"source\":\"node0/nic\",\"what\":\"message_sent\",\"op\":7,\"detail\":[64,0,0]}\n"
        "{\"t_ps\":2000,\"source\":\"switch/pipe0\",\"what\":\"switch_state\",\"op\":7,"
        "\"detail\":[1,2,18446744073709551615]}\n");
}

TEST_CASE("a JSON parser reads names back, whatever they contain") {
  std::string name = "quote\" backslash\\ line\n tab\t \xc3\xa9 ";
  name += '\0';
  EventLog event_log;
  std::ostringstream out;
  JsonLinesTrace trace(event_log, out);
  event_log.attach(trace);
  event_log.record(Observed::fault_begun, event_log.add_source(name), Time::from_ps(7), 0);
  const auto line = out.str();
  CHECK(std::count(line.begin(), line.end(), '\n') == 1);
  const auto parsed = nlohmann::json::parse(line);
  CHECK(parsed.at("source") == name);
  CHECK(parsed.at("t_ps") == 7);
  CHECK(parsed.at("what") == "fault_begun");
}

TEST_CASE("a trace that cannot be written is an error, not a shorter trace") {
  EventLog event_log;
  std::ostringstream out;
  JsonLinesTrace trace(event_log, out);
  event_log.attach(trace);
  const auto source = event_log.add_source("a");
  out.setstate(std::ios::badbit);
  CHECK_THROWS_WITH(event_log.record(Observed::fault_begun, source, Time(), 0), Catch::Contains("trace"));
}

TEST_CASE("a trace of a window holds what lies in it with both ends") {
  EventLog event_log;
  const auto source = event_log.add_source("a");
  std::ostringstream out;
  JsonLinesTrace trace(event_log, out, Time::from_ps(20), Time::from_ps(30));
  event_log.attach(trace);
  for (const std::int64_t ps : {19, 20, 25, 30, 31})
    event_log.record(Observed::fault_begun, source, Time::from_ps(ps), 0);
  const std::string text = out.str();
  CHECK(std::count(text.begin(), text.end(), '\n') == 3);
  for (const char* inside : {"\"t_ps\":20,", "\"t_ps\":25,", "\"t_ps\":30,"}) CHECK_THAT(text, Catch::Contains(inside));
}

}  // namespace trace_test
