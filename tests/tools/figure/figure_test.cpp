// Figure files: what is read, what is refused, and a small figure as a person runs it.
#include "tools/figure/figure.hpp"

#include <catch2/catch.hpp>

#include "tests/tools/refusal.hpp"
#include "tests/tools/run_racksim.hpp"
#include "tests/tools/temporary_folder.hpp"
#include "tools/files/data_files.hpp"

namespace figure_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

/// Two points of a small rack: all operations on private data, or all on shared data.
JsonValue small_figure() {
  return parse_json(R"({
    "version": 1, "title": "Small", "base": "quickstart.json",
    "set": {"workload.working_set": "4MiB", "workload.shared_bytes": "1MiB", "protocol.flowcc.cache": "4MiB",
            "run.warmup": "10us", "run.measure": {"operations": 4000}, "faults": []},
    "quick": {"run.measure": {"operations": 1000}},
    "sweep": {"label": "sharing ratio", "path": "workload.sharing_ratio", "values": [0, 1]},
    "series": [{"name": "switch", "set": {"protocol.flowcc.ownership": "switch"}}],
    "metrics": {"throughput": "throughput_mops", "hits": "flowcc.local_hit_share"},
    "claims": [
      {"id": "slower", "paper": {"shape": "monotone_decreasing"}, "read": {"series": "switch", "metric": "throughput"}},
      {"id": "absurd", "paper": {"value": 1e6},
       "read": {"series": "switch", "metric": "throughput", "x": 0}}],
    "calibrated": [{"constant": "protocol.flowcc.costs.local_access", "on": "another figure"}],
    "not_modelled": [{"id": "left-out", "text": "GAM is slow.", "paper": "17", "why": "no GAM"}]})",
                    "small");
}

std::string write_figure(const TemporaryFolder& folder, const JsonValue& figure) {
  return folder.write("figures/small.json", to_json(figure));
}

/// What loading says after one change.
std::string refused(const char* member, JsonValue value) {
  const TemporaryFolder folder;
  JsonValue figure = small_figure();
  figure.set(member, std::move(value));
  const std::string file = write_figure(folder, figure);
  const std::string line = refusal([&] { load_figure(file, built_in_catalogue(), false); });
  return line.starts_with(file) ? line.substr(file.size() + 2) : line;
}

}  // namespace

TEST_CASE("the points of a figure are its series along its sweep") {
  const TemporaryFolder folder;
  JsonValue document = small_figure();
  document.set("series", parse_json(R"([{"name": "switch"},
                                        {"name": "home", "set": {"protocol.flowcc.ownership": "home"}}])",
                                    "series"));
  document.set("claims", JsonValue::array());
  const std::string file = write_figure(folder, document);
  const Figure figure = load_figure(file, built_in_catalogue(), false);
  CHECK(figure.name == "small");
  REQUIRE(figure.points.size() == 4);
  CHECK(figure.points[3].series == 1);
  CHECK(figure.points[3].sweep == 1);
  CHECK(figure.points[3].scenario.run.measure.operations == 4000);
  CHECK_THAT(figure.command_of(figure.points[3]),
             Catch::Contains("--set protocol.flowcc.ownership=home --set workload.sharing_ratio=1"));
  CHECK(figure.calibrated.at(0).value == "240600ps");
  CHECK(load_figure(file, built_in_catalogue(), true).points[0].scenario.run.measure.operations == 1000);
}

TEST_CASE("a value of the sweep may be a name, or set several things") {
  const TemporaryFolder folder;
  JsonValue document = small_figure();
  document.set("claims", JsonValue::array());
  document.set("sweep", parse_json(R"({"path": "protocol.flowcc.ownership", "values": ["home", "switch"]})", "sweep"));
  document.set("series", parse_json(R"([{"name": "only"}])", "series"));
  Figure figure = load_figure(write_figure(folder, document), built_in_catalogue(), false);
  CHECK(figure.axes.sweep[1].x == 1);
  CHECK(figure.axes.sweep[1].label == "switch");
  document.set("sweep", parse_json(R"({"values": [{"x": 2, "set": {"workload.locality": 0.5, "seed": 7}}]})", "sweep"));
  figure = load_figure(write_figure(folder, document), built_in_catalogue(), false);
  CHECK(figure.points[0].scenario.seed == 7);
}

TEST_CASE("a sweep says how x is drawn, or what suits is taken") {
  const auto scale_of = [](const char* sweep) {
    const TemporaryFolder folder;
    JsonValue figure = small_figure();
    figure.set("claims", JsonValue::array());
    figure.set("sweep", parse_json(sweep, "sweep"));
    return load_figure(write_figure(folder, figure), built_in_catalogue(), false).x_scale;
  };
  CHECK(scale_of(R"({"path": "seed", "values": [1, 2]})") == PlotScale::linear);
  CHECK(scale_of(R"({"path": "seed", "values": [1, 2, 100]})") == PlotScale::categories);
  CHECK(scale_of(R"({"values": [{"x": "one", "set": {"seed": 1}}]})") == PlotScale::categories);
  CHECK(scale_of(R"({"path": "seed", "values": [1, 2], "scale": "log"})") == PlotScale::log);
}

TEST_CASE("a metric may be drawn on a logarithmic axis") {
  const TemporaryFolder folder;
  JsonValue document = small_figure();
  document.set("metrics", parse_json(R"({"throughput": "throughput_mops", "hits": "flowcc.local_hit_share",
                                         "tail": {"name": "latency.p99", "scale": "log"},
                                         "mean": {"name": "latency.mean", "scale": "linear"}})",
                                     "metrics"));
  const Figure figure = load_figure(write_figure(folder, document), built_in_catalogue(), false);
  CHECK(figure.metric_names[2] == "latency.p99");
  CHECK(figure.metric_units[2] == "ns");
  CHECK(figure.logarithmic == std::set<std::size_t>{2});
}

TEST_CASE("a mistake in a figure file is one line with its place and the nearest name") {
  CHECK_THAT(refused("titel", "x"),
             Catch::StartsWith("/titel: found the unknown key") && Catch::Contains("\"title\"?"));
  CHECK_THAT(refused("base", "quikstart.json"), Catch::StartsWith("/base: found \"quikstart.json\""));
  CHECK_THAT(refused("base", 3), Catch::StartsWith("/base: found the number 3"));
  CHECK_THAT(refused("version", 2), Catch::StartsWith("/version"));
  CHECK_THAT(
      refused("metrics", parse_json(R"({"throughput": "throughput_mops", "hits": "flowcc.local_hit_shar"})", "m")),
      Catch::StartsWith("/metrics/hits") && Catch::Contains("did you mean \"flowcc.local_hit_share\"?"));
  const auto metric = [](const char* text) {
    return refused("metrics", parse_json(std::string(R"({"throughput": )") + text + "}", "m"));
  };
  CHECK_THAT(metric(R"({"scale": "log"})"), Catch::StartsWith("/metrics/throughput: found no \"name\""));
  CHECK_THAT(metric(R"({"name": "throughput_mops", "scale": "lgo"})"),
             Catch::StartsWith("/metrics/throughput/scale") && Catch::Contains("did you mean \"log\"?"));
  CHECK_THAT(metric(R"({"name": "throughput_mops", "scale": "categories"})"),
             Catch::Contains("expected \"linear\" or \"log\""));
  CHECK_THAT(metric(R"({"name": 3})"), Catch::StartsWith("/metrics/throughput/name: found the number 3"));
  CHECK_THAT(metric(R"({"nam": "throughput_mops"})"), Catch::StartsWith("/metrics/throughput/nam"));
  CHECK_THAT(metric("3"), Catch::StartsWith("/metrics/throughput: found the number 3"));
  CHECK_THAT(refused("set", parse_json(R"({"workload.sharing_ratoi": 1})", "s")),
             Catch::StartsWith("/set/workload.sharing_ratoi") && Catch::Contains("did you mean \"sharing_ratio\"?"));
  CHECK_THAT(refused("sweep", parse_json(R"({"path": "workload.sharing_ratio", "values": [0, 2]})", "s")),
             Catch::StartsWith("/sweep/values/1: found the number 2"));
  CHECK_THAT(refused("sweep", parse_json(R"({"path": "workload.sharing_ratio", "values": [1, 0]})", "s")),
             Catch::StartsWith("/sweep/values/1") && Catch::Contains("values of x that rise"));
  CHECK_THAT(refused("sweep", parse_json(R"({"values": [1]})", "s")), Catch::Contains("a value that sets nothing"));
  CHECK_THAT(refused("sweep", parse_json(R"({"path": "seed", "values": []})", "s")), Catch::Contains("an empty array"));
  const auto scaled = [](const char* scale, const char* values) {
    return refused(
        "sweep",
        parse_json(std::string(R"({"path": "seed", "scale": )") + scale + R"(, "values": )" + values + "}", "s"));
  };
  CHECK_THAT(scaled(R"("lgo")", "[1, 2]"),
             Catch::StartsWith("/sweep/scale") && Catch::Contains("did you mean \"log\"?"));
  CHECK_THAT(scaled(R"("log")", "[0, 1]"), Catch::Contains("/sweep/scale: found \"log\" for 0"));
  CHECK_THAT(scaled("3", "[0, 1]"), Catch::Contains("/sweep/scale: found the number 3"));
  CHECK_THAT(refused("series", parse_json(R"([{"name": "a"}, {"name": "a"}])", "s")),
             Catch::StartsWith("/series/1/name"));
  CHECK_THAT(refused("claims", parse_json(R"([{"id": "x", "paper": {"min": 1}, "read": "swich"}])", "c")),
             Catch::StartsWith("/claims/0/read") && Catch::Contains("did you mean \"switch\"?"));
  CHECK_THAT(refused("calibrated", parse_json(R"([{"constant": "protocol.flowcc.costs.none"}])", "c")),
             Catch::StartsWith("/calibrated/0/constant"));
}

TEST_CASE("a command names a scenario that comes with the program as it is found anywhere, others by their path") {
  const Figure own = load_figure(find_figure_file("concordia/fig9"), built_in_catalogue(), true);
  CHECK_THAT(own.command_of(own.points[0]), Catch::StartsWith("racksim run scenarios/flowcc/micro.json --set "));
  const TemporaryFolder folder;
  folder.write("figures/base.json", to_json(read_json_file(find_scenario_file("quickstart.json"))));
  JsonValue document = small_figure();
  document.set("base", "base.json");
  const Figure other = load_figure(write_figure(folder, document), built_in_catalogue(), true);
  CHECK_THAT(other.command_of(other.points[0]), Catch::StartsWith("racksim run " + folder.path().string()));
}

TEST_CASE("the figures that come with the program are valid") {
  for (const bool quick : {false, true}) {
    for (const char* name : {"concordia/fig9", "concordia/fig10", "concordia/fig11", "concordia/fig12"}) {
      CAPTURE(name);
      CHECK(load_figure(find_figure_file(name), built_in_catalogue(), quick).name == name);
    }
  }
  CHECK_THAT(refusal([] { find_figure_file("concordia/fig99"); }), Catch::Contains("did you mean"));
}

TEST_CASE("a figure runs its points, whatever the number of jobs, and prints verdicts with status 0") {
  const TemporaryFolder folder;
  write_figure(folder, small_figure());
  const Outcome one = run_racksim(folder, "figure figures/small.json --jobs 1 --out one");
  const Outcome two = run_racksim(folder, "figure figures/small.json --jobs 2 --out two");
  CHECK(one.err.empty());
  REQUIRE(one.status == 0);
  REQUIRE(two.status == 0);
  const std::string csv = content(folder.path() / "one/points.csv");
  CHECK(csv == content(folder.path() / "two/points.csv"));
  CHECK_THAT(csv,
             Catch::StartsWith(
                 "sharing ratio,series,seed,throughput [Mops],hits [share],verdict,run_hash,command\n0,switch,1,"));
  CHECK_THAT(one.out, Catch::Contains("off by 100 %  absurd") && Catch::Contains("met           slower"));
  CHECK_THAT(one.out, Catch::Contains("costs.local_access = 240600ps") && Catch::Contains("left-out"));
  CHECK_THAT(one.out, Catch::Contains("1 of 2 claims met, 1 off"));

  // Called again, it has nothing left to run, and says the same of the same points.
  const Outcome again = run_racksim(folder, "figure figures/small.json --jobs 1 --out one");
  CHECK(again.status == 0);
  std::string said = again.out;
  const std::string kept = "2 of 2 points were run by an earlier call and kept in one/points.jsonl\n";
  REQUIRE(said.find(kept) != std::string::npos);
  CHECK(said.erase(said.find(kept), kept.size()) == one.out);
  CHECK(content(folder.path() / "one/points.csv") == csv);

  const Outcome json = run_racksim(folder, "figure figures/small.json --quick --json --out json");
  const JsonValue report = parse_json(json.out, "report");
  CHECK(report.find("points")->elements()->size() == 2);
  CHECK((*report.find("claims")->elements())[0].find("met")->boolean() != nullptr);
  CHECK(run_racksim(folder, "validate figures/small.json").status == 0);
}

TEST_CASE("a point whose run fails is named with the command that repeats it") {
  const TemporaryFolder folder;
  JsonValue figure = small_figure();
  figure.find("set")->set("expect", parse_json(R"({"throughput_mops": {"min": 1e9}})", "e"));
  write_figure(folder, figure);
  const Outcome failed = run_racksim(folder, "figure figures/small.json --quick");
  CHECK(failed.status == 1);
  CHECK_THAT(failed.err, Catch::Contains("throughput_mops is") && Catch::Contains("repeat: racksim run "));

  // A metric that no run can be asked for shows only in the child: the run does not end, the others do.
  figure.find("set")->set("expect", parse_json(R"({"no_such_metric": {"min": 1}})", "e"));
  write_figure(folder, figure);
  const Outcome broken = run_racksim(folder, "figure figures/small.json --quick");
  CHECK(broken.status == 3);
  CHECK_THAT(broken.err, Catch::Contains("no_such_metric"));
}

}  // namespace figure_test
