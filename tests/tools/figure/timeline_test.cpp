// Figures over time: how the axis is read, what is refused, and a small figure as a person runs it.
#include "tools/figure/timeline.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "tests/tools/refusal.hpp"
#include "tests/tools/run_racksim.hpp"
#include "tests/tools/temporary_folder.hpp"
#include "tools/figure/figure.hpp"

namespace timeline_test {

using namespace racksim;
using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

using namespace sim::literals;

Timeline timeline_of(const std::string& text) {
  return read_timeline(parse_json(text, "t"), {"t", ""}, 1_ms);
}

std::string refused(const std::string& text) {
  return refusal([&] { timeline_of(text); });
}

/// The quickstart for a millisecond, in windows of 100 us from 0.5 s on the axis, and half a second drawn before it.
/// The second series runs for 300 us.
JsonValue figure_over_time() {
  return parse_json(R"({
    "version": 1, "title": "Over time", "base": "quickstart.json",
    "set": {"workload.working_set": "4MiB", "workload.shared_bytes": "1MiB", "protocol.flowcc.cache": "4MiB",
            "run.warmup": "0s", "run.measure": "1ms", "faults": [], "observe.series_interval": "50us"},
    "timeline": {"label": "time", "from": 0, "zero": 0.5, "zoom": [0.5, 0.5005],
                 "stretches": [{"to": 0.5, "as": [0.5, 0.501]}, {"to": 0.501, "windows": 10}]},
    "series": [{"name": "long"}, {"name": "short", "set": {"run.measure": "300us"}}],
    "metrics": {"throughput": "operations_over_time.mega_per_second", "all": "operations"},
    "claims": [{"id": "mean", "paper": {"value": 1, "rounding": 1e-9},
                "read": {"ratio": [{"series": "long", "x": 0}, {"mean": "long", "x": {"from": 0.5}}],
                         "metric": "throughput"}}]
})",
                    "figure");
}

}  // namespace

TEST_CASE("stretches of time follow each other, in windows of equal length, simulated or drawn") {
  const Timeline timeline = timeline_of(R"({"label": "t", "from": 1, "zero": 2.5, "zoom": [3, 4],
      "stretches": [{"to": 3, "as": [3, 3.5]}, {"to": 3.3, "windows": 3}, {"to": 20}]})");
  CHECK(timeline.label == "t");
  CHECK(timeline.zoom == std::pair{3.0, 4.0});
  REQUIRE(timeline.windows.size() == 5);
  const TimeWindow& drawn = timeline.windows[0];
  CHECK((drawn.from == 1 && drawn.to == 3 && drawn.drawn));
  CHECK((drawn.begin == sim::Time{} + 500_ms && drawn.end == sim::Time{} + 1_s));
  // A claim names a window by its begin as it is written: 3.2, not 3 and two thirds of 0.3.
  const TimeWindow& third = timeline.windows[3];
  CHECK((third.from == 3.2 && third.to == 3.3 && !third.drawn));
  CHECK((third.begin == sim::Time{} + 700_ms && third.end == sim::Time{} + 800_ms));
  CHECK((timeline.windows[4].from == 3.3 && timeline.windows[4].end == sim::Time{} + 17'500_ms));
}

TEST_CASE("a mistake in a timeline is one line with its place") {
  CHECK_THAT(refused(R"({"label": "t"})"), Catch::Contains("/stretches: found nothing"));
  CHECK_THAT(refused(R"({"stretches": []})"), Catch::Contains("/stretches: found an empty array"));
  CHECK_THAT(refused(R"({"stretches": [{"until": 3}]})"), Catch::Contains("/stretches/0/until"));
  CHECK_THAT(refused(R"({"stretches": [{"to": 1}, {"to": 1}]})"),
             Catch::Contains("/stretches/1: found an end at 1 s, expected \"to\" above 1"));
  CHECK_THAT(refused(R"({"stretches": [{"to": 1, "windows": 0}]})"), Catch::Contains("/stretches/0/windows"));
  CHECK_THAT(refused(R"({"zero": 1, "stretches": [{"to": 2}]})"),
             Catch::Contains("/stretches/0: found 0 s, before the run begins at 1 s"));
  CHECK_THAT(refused(R"({"stretches": [{"to": 0.0015}]})"), Catch::Contains("whole intervals of 1000000 ns"));
  CHECK_THAT(refused(R"({"stretches": [{"to": 0.01, "windows": 4}]})"), Catch::Contains("ends at 0.0025 s"));
  CHECK_THAT(refused(R"({"stretches": [{"to": 1, "as": [3, 2]}]})"), Catch::Contains("/stretches/0/as"));
  CHECK_THAT(refused(R"({"stretches": [{"to": 1, "as": [2, 3], "windows": 2}]})"),
             Catch::Contains("several windows drawn alike"));
  CHECK_THAT(refused(R"({"stretches": [{"to": 1}], "zoom": [1]})"), Catch::Contains("/zoom"));
  const std::string none = refusal([] {
    read_timeline(parse_json(R"({"stretches": [{"to": 1}]})", "t"), {"t", ""}, {});
  });
  CHECK_THAT(none, Catch::Contains("runs without time series"));
}

TEST_CASE("a figure has a timeline or a sweep, and its runs the same intervals") {
  const TemporaryFolder folder;
  const auto loading = [&](const char* member, const char* value) {
    JsonValue figure = figure_over_time();
    figure.set(member, parse_json(value, "value"));
    const std::string file = folder.write("figures/time.json", to_json(figure));
    return refusal([&] { load_figure(file, built_in_catalogue(), false); });
  };
  CHECK_THAT(loading("sweep", R"({"path": "seed", "values": [1]})"),
             Catch::Contains("/sweep: found a timeline beside"));
  CHECK_THAT(loading("series", R"([{"name": "a"}, {"name": "b", "set": {"observe.series_interval": "10us"}}])"),
             Catch::Contains("/timeline: found series with several"));
  CHECK_THAT(loading("title", R"("Good")"), Catch::Equals("accepted"));
}

TEST_CASE(
    "one run gives all windows, where it does not reach there are no values, and the picture tells what is drawn") {
  const TemporaryFolder folder;
  folder.write("figures/time.json", to_json(figure_over_time()));
  const Outcome outcome = run_racksim(folder, "figure figures/time.json --jobs 1 --out points");
  CHECK(outcome.err == "");
  REQUIRE(outcome.status == 0);
  CHECK_THAT(outcome.out, Catch::Contains("1 of 1 claims met"));
  CHECK_THAT(outcome.out, Catch::Contains("0 .. 0.5 (drawn)") && Catch::Contains("0.5009 .. 0.501 "));
  CHECK_THAT(outcome.out, Catch::Contains("all (operations)\n  time       long") && Catch::Contains("\n  whole run  "));
  const std::string csv = content(folder.path() / "points/points.csv");
  CHECK_THAT(csv, Catch::StartsWith("time,until,origin,series,seed,throughput [Mops],all "
                                    "[operations],verdict,run_hash,command\n0,0.5,drawn,long,1,"));
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 1 + 2 * 11);
  // 300 us are three windows; the fourth and the drawn one, of a whole millisecond, have no value.
  CHECK_THAT(csv, Catch::Contains("\n0,0.5,drawn,short,1,,"));
  CHECK_THAT(csv, Catch::Contains("\n0.5004,0.5005,simulated,short,1,,"));
  CHECK_THAT(csv, !Catch::Contains("\n0.5002,0.5003,simulated,short,1,,"));

  CHECK_THAT(content(folder.path() / "points/figure.svg"), Catch::Contains("<svg ") && Catch::EndsWith("</svg>\n\n"));
  const std::string script = content(folder.path() / "points/figure.gp");
  // Two panels of throughput, the axis and its zoom, and none of what is of the whole run.
  const auto times = [&](const std::string& text) {
    std::size_t n = 0;
    for (std::size_t at = script.find(text); at != std::string::npos; at = script.find(text, at + 1)) ++n;
    return n;
  };
  CHECK(times("set label 'throughput (Mops)'") == 2);
  CHECK(times("'all") == 0);
  CHECK(times("_assumed with lines") == 1);

  const Outcome json = run_racksim(folder, "figure figures/time.json --json --out points");
  const JsonValue report = parse_json(json.out, "report");
  REQUIRE(report.find("points")->elements()->size() == 2 * 11);
  CHECK(*(*report.find("points")->elements())[0].find("drawn")->boolean());
  CHECK_FALSE(*(*report.find("points")->elements())[1].find("drawn")->boolean());
}

}  // namespace timeline_test
