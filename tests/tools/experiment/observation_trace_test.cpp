// Traces side by side.
#include "tools/experiment/observation_trace.hpp"

#include <catch2/catch.hpp>
#include <sstream>

#include "sim/record/event_log.hpp"
#include "sim/record/history.hpp"
#include "sim/record/trace.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/run_racksim.hpp"
#include "tests/tools/temporary_folder.hpp"
#include "tools/files/data_files.hpp"

namespace observation_trace_test {

using namespace racksim;
using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

/// "source time detail" for each observation, in the order of recording; a time is in ns.
ObservationsBySource trace_of(const std::vector<std::tuple<std::string, int, int>>& story) {
  ObservationsBySource trace;
  std::size_t line = 0;
  for (const auto& [source, ns, detail] : story) {
    trace[source].push_back({ns * 1000, source, "fault", 0, {static_cast<std::uint64_t>(detail), 1, 0}, ++line});
  }
  return trace;
}

}  // namespace

TEST_CASE("the interleaving of sources is no difference and the order within one is") {
  const auto plain = trace_of({{"a", 1, 1}, {"b", 1, 2}, {"a", 1, 3}});
  CHECK_FALSE(first_difference(plain, trace_of({{"b", 1, 2}, {"a", 1, 1}, {"a", 1, 3}}), 2));
  const auto difference = first_difference(plain, trace_of({{"a", 1, 3}, {"b", 1, 2}, {"a", 1, 1}}), 2);
  REQUIRE(difference);
  CHECK(difference->source == "a");
  CHECK(difference->before.empty());
  CHECK(difference->a[0].detail[0] == 1);
  CHECK(difference->b[0].detail[0] == 3);
}

TEST_CASE("of several differences the one that is earliest on either side is the first") {
  const auto a = trace_of({{"a", 10, 1}, {"a", 50, 1}, {"b", 20, 1}, {"b", 45, 2}, {"c", 44, 1}});
  const auto b = trace_of({{"a", 10, 1}, {"a", 40, 9}, {"b", 20, 1}, {"b", 46, 2}, {"c", 44, 1}});
  const auto difference = first_difference(a, b, 1);
  REQUIRE(difference);
  CHECK(difference->source == "a");
  CHECK(difference->at_ps() == 40'000);
  CHECK(difference->before.size() == 1);
}

TEST_CASE("a side that records less differs where it ends") {
  const auto a = trace_of({{"a", 1, 1}, {"a", 2, 2}, {"a", 3, 3}, {"a", 4, 4}});
  const auto b = trace_of({{"a", 1, 1}, {"a", 2, 2}});
  const auto difference = first_difference(a, b, 1);
  REQUIRE(difference);
  CHECK(difference->at_ps() == 3'000);
  CHECK(difference->before.size() == 1);
  CHECK(difference->a.size() == 2);
  CHECK(difference->b.empty());
  CHECK(first_difference({}, b, 1)->at_ps() == 1'000);
}

TEST_CASE("what a trace writes is read back without what only oracles see") {
  sim::EventLog event_log;
  std::ostringstream out;
  sim::JsonLinesTrace trace(event_log, out);
  event_log.attach(trace);
  const auto nic = event_log.add_source("node3/nic"), thread = event_log.add_source("node3/thread0");
  const auto at = sim::Time::from_ps(1'500);
  event_log.record(sim::Observed::permission, nic, at, 1);
  event_log.record(sim::Observed::message_dropped, nic, at, 7, std::uint64_t{3} << 48 | 12, 4, 99);
  event_log.record(sim::Observed::operation_ended, thread, at, 8, 1, 64, 5);
  const auto of_session = sim::OperationId{sim::number_of_session(4, 43)};
  event_log.record(sim::Observed::operation_begun, thread, at, of_session, 0, 64, 0);
  event_log.record(sim::Observed::message_sent, nic, at, of_session, 1, 99);
  sim::record_lock_ended(event_log, thread, at, of_session, sim::OperationKind::lock, sim::Key{64u}, true);
  std::istringstream in(out.str());
  const auto read = read_trace(in, "t");
  REQUIRE(read.at("node3/nic").size() == 2);
  CHECK(read.at("node3/nic")[0].at_ps == 1'500);
  CHECK(read.at("node3/nic")[0].text() == "message_dropped    packet node3#12, tail_drop, 99 bytes, operation 7");
  CHECK(read.at("node3/thread0")[0].text() == "operation_ended    write of key 0x40, value 5, operation 8");
  CHECK(read.at("node3/thread0")[1].text() == "operation_begun    read of key 0x40, value 0, n3.t0 #43");
  CHECK(read.at("node3/nic")[1].text() == "message_sent       packet node0#1, 99 bytes, n3.t0 #43");
  CHECK_THAT(read.at("node3/thread0")[2].text(), Catch::Contains(" lock of key 0x40, "));
}

TEST_CASE("a line that is no observation is refused with its number") {
  std::istringstream in("{\"t_ps\":1,\"source\":\"a\",\"what\":\"fault\",\"op\":0,\"detail\":[0,0,0]}\n{\"t_ps\":1}\n");
  CHECK_THAT(refusal([&] { read_trace(in, "t"); }), Catch::Contains("line 2"));
}

TEST_CASE("a run's trace begins and ends with the instants that its scenario names") {
  const TemporaryFolder folder;
  const std::string scenario = (scenarios_folder() / "regress/flowcc/shipped.json/fused").string();
  const auto outcome =
      run_racksim(folder, "run " + scenario +
                              " --out run --set expect={} --set run.measure=20us --set observe.trace=t "
                              "--set observe.trace_from=5us --set observe.trace_until=10us");
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.status == 0);
  std::istringstream in(content(folder.path() / "run" / "t"));
  std::size_t observations = 0;
  for (const auto& [source, seen] : read_trace(in, "t")) {
    for (const auto& observation : seen) {
      ++observations;
      CHECK(observation.at_ps >= 5'000'000);
      CHECK(observation.at_ps <= 10'000'000);
    }
  }
  CHECK(observations > 10);
}

}  // namespace observation_trace_test
