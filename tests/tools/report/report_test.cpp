// The text report: which numbers a person sees, and how they are written.
#include "tools/report/report.hpp"

#include <catch2/catch.hpp>

#include "tools/report/report_text.hpp"

namespace report_test {

using namespace racksim;
using namespace racksim::tools;
using Catch::Matchers::Contains;

namespace {

/// A run of protocol "gam" whose metrics a test registers.
struct Reported {
  Reported() { scenario.protocol.name = "gam"; }
  std::string text(Detail detail = Detail::usual) const { return report_text(scenario, result, metrics, {}, detail); }
  /// The number in the line of a metric; empty if there is no line.
  std::string number(const std::string& metric, Detail detail = Detail::all) const {
    const std::string report = text(detail);
    const auto line = report.find("  " + metric + " ");
    if (line == std::string::npos) return "";
    const auto begin = report.find_first_not_of(' ', line + 2 + metric.size());
    return report.substr(begin, report.find(' ', begin) - begin);
  }
  Scenario scenario;
  sim::Metrics metrics;
  RunResult result;
};

}  // namespace

TEST_CASE("the text report shows trouble whoever has it, and of the whole run where that is more") {
  Reported run;
  auto& counter = run.metrics.trouble("nic.rc_timeouts", "timeouts", "");
  CHECK_THAT(run.text(), !Contains("trouble"));
  counter.value = 3;
  CHECK(run.number("nic.rc_timeouts", Detail::usual) == "3");
  CHECK_THAT(run.text(), Contains("\ntrouble\n  nic.rc_timeouts "));
  CHECK_THAT(run.text(), !Contains("in the whole run"));
  run.metrics.open_window({});
  CHECK_THAT(run.text(), Contains(" 0 timeouts  (3 in the whole run)\n"));
  counter.value += 2;
  run.metrics.close_window({});
  CHECK_THAT(run.text(), Contains(" 2 timeouts  (5 in the whole run)\n"));
}

TEST_CASE("of other counters the text report tells the measured phase, and a program both") {
  Reported run;
  auto& hits = run.metrics.counter("gam.hits", "operations", "");
  hits.value = 5;
  run.metrics.open_window({});
  hits.value += 3;
  run.metrics.close_window({});
  hits.value += 1;
  CHECK(run.number("gam.hits") == "3");
  CHECK_THAT(run.text(), !Contains("in the whole run"));
  const auto json = report_json(run.scenario, run.result, run.metrics);
  CHECK(json.find("metrics")->find("gam.hits")->natural() == 3);
  CHECK(json.find("whole_run")->find("gam.hits")->natural() == 9);
}

TEST_CASE("a person is shown what he asks first, and by groups all that is not for programs alone if he asks for it") {
  Reported run;
  run.metrics.counter("nic.packets_sent", "packets", "").value = 4;
  run.metrics.counter("gam.hits", "operations", "").value = 3;
  run.metrics.counter("gam.misses", "operations", "").value = 1;
  run.metrics.counter("operations", "operations", "", sim::Shown::json).value = 5;
  CHECK_THAT(run.text(), !Contains("gam.hits") && !Contains("nic.packets_sent") && !Contains("  operations  "));
  const std::string all = run.text(Detail::all);
  const auto gam = all.find("\ngam\n  gam.hits "), misses = all.find("\n  gam.misses "),
             nic = all.find("\nnic\n  nic.packets_sent ");
  REQUIRE(gam != std::string::npos);
  REQUIRE(nic != std::string::npos);
  CHECK(gam < misses);
  CHECK(misses < nic);
  CHECK_THAT(all, !Contains("  operations  "));
}

TEST_CASE("shares of the operations stand in one line, those that are zero left out") {
  Reported run;
  auto& all = run.metrics.counter("operations", "operations", "", sim::Shown::json);
  auto& hits = run.metrics.counter("gam.hits", "operations", "");
  auto& lost = run.metrics.counter("gam.lost", "operations", "");
  run.metrics.share("gam.hit_ratio", "", {&hits}, {&all});
  run.metrics.rest("gam.miss_ratio", "", {&hits}, {&all});
  run.metrics.share("gam.loss", "", {&lost}, {&all});
  all.value = 8;
  hits.value = 3;
  CHECK_THAT(run.text(), Contains("\nshares       gam.hit_ratio 37.5 %, gam.miss_ratio 62.5 %\n"));
}

TEST_CASE("an outcome of a litmus test is shown as it is counted, among what is asked first") {
  Reported run;
  run.metrics.counter_of_run("litmus.r0_0_r1_0", "repetitions", "", sim::Shown::always).value = 10;
  CHECK(run.number("litmus.r0_0_r1_0", Detail::usual) == "10");
  CHECK_THAT(run.text(), !Contains("shares"));
}

TEST_CASE("of those who answer the report tells latency and their part of the operations") {
  Reported run;
  run.result.operations = 4;
  run.metrics.histogram("latency.local", "").record(sim::Duration::from_ps(341'000));
  CHECK_THAT(run.text(), Contains("\n  local      mean 341 ns  p50 341 ns  p99 341 ns  (1 operations, 25 %)\n"));
}

TEST_CASE("a resource limits a run if it is at work for 95 % of the window, and the busiest need not") {
  Reported run;
  const auto limit_at = [&](double busy) {
    run.result.busiest = {{"pipes", "switch/pipe0", busy, {{2.5, 7, sim::Duration::from_ps(5000)}}}};
    const JsonValue report = report_json(run.scenario, run.result, run.metrics);
    const std::string* kind = report.find("limited_by")->string();
    return kind == nullptr ? std::string() : *kind;
  };
  CHECK(limit_at(0.94).empty());
  CHECK(limit_at(0.96) == "pipes");
  const JsonValue report = report_json(run.scenario, run.result, run.metrics);
  const JsonValue& told = report.find("busiest")->elements()->front();
  CHECK(*told.find("waiting")->number() == 2.5);
  CHECK(*told.find("most_waiting")->number() == 7);
  CHECK(*told.find("longest_wait_ns")->number() == 5);
}

TEST_CASE("a run that is long enough is drawn, with the window of measurement between strokes") {
  Reported run;
  run.result.over_time = {.width = sim::Duration::from_ps(100'000'000), .slots = {}, .begin = 2, .end = 7};
  for (int i = 0; i < 8; ++i) run.result.over_time.slots.push_back({i < 2 ? 2.0 : 4.0, 1000.0 * (i + 1)});
  CHECK_THAT(run.text(), Contains("\n  over time  ▄▄|█████|█  up to 4 Mops, in slots of 100 us\n") &&
                             Contains("\n  p99        ▁▂|▃▄▅▆▇|█  up to 8 us, in slots of 100 us\n"));
  run.result.over_time.slots.pop_back();
  CHECK_THAT(run.text(), !Contains("over time") && !Contains("in slots of"));
}

TEST_CASE("a run of few operations is not drawn") {
  Reported run;
  run.result.over_time = {.width = sim::Duration::from_ps(1'000'000), .slots = {}, .begin = 0, .end = 8};
  run.result.over_time.slots.assign(8, {9.0, 1000.0});  // nine operations in a slot
  CHECK_THAT(run.text(), !Contains("in slots of"));
  run.result.over_time.slots.assign(8, {10.0, 1000.0});
  CHECK_THAT(run.text(), Contains("in slots of"));
}

TEST_CASE("the text report shows no number that is zero") {
  Reported run;
  run.metrics.counter("gam.hits", "operations", "");
  run.metrics.gauge("gam.hit_share", "share", "", 0);
  run.metrics.gauge("store.overflow_share", "share", "", 0);
  CHECK(run.number("gam.hits").empty());
  CHECK(run.number("gam.hit_share").empty());
  CHECK(run.number("store.overflow_share").empty());
}

TEST_CASE("the text report writes all numbers in one format") {
  Reported run;
  auto& gauge = run.metrics.gauge("gam.rate", "packets", "", 0);
  const auto written = [&](double value) {
    gauge.value = value;
    return run.number("gam.rate");
  };
  run.metrics.counter("gam.packets", "packets", "").value = 188100;
  CHECK(run.number("gam.packets") == "188100");
  CHECK(written(188100.4) == "188100");  // the rest of the format: numbers_test.cpp
  CHECK(written(0.000012345) == "0.00001234");
}

TEST_CASE("writes that crashes have undone are counted for a person and listed for a program") {
  Reported run;
  CHECK_THAT(run.text(), !Contains("undone by crashes"));
  run.result.lost_writes.push_back({0x2a, 77, "node3/thread1", sim::Time{} + sim::Duration::from_ps(5'000), {}, 76});
  run.result.lost_writes.push_back({0x2b, 78, "node3/thread1", sim::Time{} + sim::Duration::from_ps(5'000), {}, 0});
  run.result.lost_write_count = 2;
  CHECK_THAT(run.text(), Contains("lost         2 acknowledged writes, undone by crashes"));
  const auto json = report_json(run.scenario, run.result, run.metrics);
  CHECK(json.find("lost_write_count")->natural() == 2);
  const auto& first = (*json.find("lost_writes")->elements())[0];
  CHECK(*first.find("key")->string() == "0x2a");
  CHECK(first.find("value")->natural() == 77);
  CHECK(*first.find("author")->string() == "node3/thread1");
  CHECK(first.find("time_ns")->number() == 5.0);
  CHECK(*first.find("why")->string() == "the server that held it crashed");
  CHECK(first.find("recovered")->natural() == 76);
  CHECK((*json.find("lost_writes")->elements())[1].find("recovered") == nullptr);  // nothing is left
}

}  // namespace report_test
