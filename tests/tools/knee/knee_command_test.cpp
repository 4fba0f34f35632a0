// `racksim run --knee`, and figures whose points are run at their knees, as a person uses them.
#include <catch2/catch.hpp>

#include "tests/tools/refusal.hpp"
#include "tests/tools/run_racksim.hpp"
#include "tools/figure/figure.hpp"
#include "tools/json/json_document.hpp"
#include "tools/knee/knee_plan.hpp"

namespace knee_command_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

/// One server that reads 500 requests in each 5 ms: 100,000 a second, of a single client node.
const char* const kOneServer = R"({
  "version": 1, "name": "one-server", "rack": {"testbed": "starcache-8", "nodes": 2, "nic": {"receive_ring": 32}},
  "protocol": {"name": "nocache", "nocache": {"server_nodes": 1, "partitions": 1, "attempts": 1, "timeout": "20ms",
    "costs": {"service": "1us"}, "budget": 500, "budget_window": "5ms"}},
  "workload": {"kind": "key-value", "keys": 1000, "rate": 50000},
  "run": {"warmup": "20ms", "measure": "400ms", "drain": "50ms"}, "check": {"all": true}})";

std::string figure_of(const std::string& criteria, const std::string& more = "") {
  return R"({"version": 1, "base": "../one.json", "set": {"run.measure": "100ms"},
    "sweep": {"label": "servers", "values": [
      {"x": 1, "set": {"protocol.nocache.partitions": 1}}, {"x": 2, "set": {"protocol.nocache.partitions": 2}}]},
    "series": [{"name": "NoCache"}],
    "knee": {"from": 20000, "to": 800000, "tolerance": 0.02, "criteria": )" +
         criteria + "}, " + more + R"(
    "metrics": {"throughput": "throughput_mops", "knee": "knee.load_mops", "loss": "store.loss"},
    "claims": [
      {"id": "own/capacity", "paper": {"value": 0.1, "rounding": 0.003},
       "read": {"metric": "throughput", "x": 1, "series": "NoCache"}},
      {"id": "own/grows", "paper": {"shape": "monotone_increasing"},
       "read": {"metric": "throughput", "series": "NoCache"}}]})";
}

constexpr const char* kTwoCriteria = R"([{"name": "artifact", "loss": 0.02},
  {"name": "fitted", "loss": 0.2, "calibrated": "own/capacity", "doc": "made up"}])";

std::string refused_plan(const std::string& text) {
  return refusal([&] { read_knee_plan(parse_json(text, "plan"), {"f.json", "/knee"}); });
}

}  // namespace

TEST_CASE("the knee of one server with a budget is its budget over what may not be lost") {
  const TemporaryFolder folder;
  folder.write("one.json", kOneServer);
  for (const auto& [loss, expected] : {std::pair{"0.05", 100'000 / 0.95}, std::pair{"0.3", 100'000 / 0.7}}) {
    const Outcome outcome = run_racksim(folder, std::string("run one.json --knee --json --loss ") + loss);
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    const JsonValue report = parse_json(outcome.out, "report");
    const JsonValue& knee = *report.find("knee");
    // To within the tolerance of 1 % and what chance does to 40,000 arrivals: 0.5 %, three times.
    CHECK(*knee.find("load")->number() == Approx(expected).epsilon(0.025));
    CHECK(*knee.find("throughput_mops")->number() == Approx(0.1).epsilon(0.01));
    CHECK(report.find("probes")->elements()->size() > 5);
  }
  const Outcome one = run_racksim(folder, "run one.json --knee"), two = run_racksim(folder, "run one.json --knee");
  CHECK(one.out == two.out);
  CHECK_THAT(one.out, Catch::StartsWith(
                          "knee of one-server in workload.rate, at most 2 % lost, to within 1 %: about 9 runs\n") &&
                          Catch::Contains("knee  ") && Catch::Contains("at ") && Catch::Contains(" % lost "));
}

TEST_CASE("with seeds a knee is looked for with each, as without, and its mean has an interval") {
  const TemporaryFolder folder;
  folder.write("one.json", kOneServer);
  const std::string knee = "run one.json --knee --json --probe run.measure=50ms --tolerance 0.05 --loss 0.2";
  const Outcome outcome = run_racksim(folder, knee + " --seeds 3");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const JsonValue report = parse_json(outcome.out, "report");
  const auto& knees = *report.find("knees")->elements();
  REQUIRE(knees.size() == 3);
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const Outcome alone = run_racksim(folder, knee + " --seed " + std::to_string(i + 1));
    CHECK(*knees[i].find("knee") == *parse_json(alone.out, "report").find("knee"));
    sum += *knees[i].find("knee")->find("load")->number();
  }
  CHECK(*report.find("knee")->find("mean")->number() == Approx(sum / 3));
  CHECK(report.find("knee")->find("half_width")->number().has_value());
  CHECK(*report.find("knee")->find("mean")->number() == Approx(100'000 / 0.8).epsilon(0.1));
}

TEST_CASE("a seed without a knee within the bounds is told, and one seed has no interval") {
  const TemporaryFolder folder;
  folder.write("one.json", kOneServer);
  const std::string knee = "run one.json --knee --probe run.measure=10ms ";
  const Outcome outside = run_racksim(folder, knee + "--from 1000 --to 2000 --seeds 2");
  CHECK(outside.status == 1);
  CHECK_THAT(outside.out, Catch::Contains("none found") && !Catch::Contains("nan"));
  CHECK_THAT(outside.err, Catch::Contains("seed 2: no knee within the bounds: even at 2000"));
  const Outcome one = run_racksim(folder, knee + "--tolerance 0.2 --seeds 1");
  CHECK(one.status == 0);
  CHECK_THAT(one.out, Catch::Contains("(one value)") && Catch::Contains("one knee tells nothing of the spread"));
}

TEST_CASE("a knee that is asked for wrongly is refused with the reason, and nothing runs") {
  const TemporaryFolder folder;
  folder.write("one.json", kOneServer);
  const auto refused = [&](const std::string& arguments) {
    const Outcome outcome = run_racksim(folder, "run " + arguments);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    return outcome.err;
  };
  CHECK_THAT(refused("one.json --knee --loss 1"), Catch::Contains("--loss") && Catch::Contains("below 1"));
  CHECK_THAT(refused("one.json --knee --loss -0.1"), Catch::Contains("--loss"));
  CHECK_THAT(refused("one.json --knee --loss much"), Catch::Contains("a number"));
  CHECK_THAT(refused("one.json --knee --tolerance 0"), Catch::Contains("--tolerance"));
  CHECK_THAT(refused("one.json --knee --from 9 --to 3"), Catch::Contains("a load above the 9"));
  CHECK_THAT(refused("one.json --knee --from 0"), Catch::Contains("above 0"));
  CHECK_THAT(refused("one.json --knee --set workload.loop=closed"), Catch::Contains("an open loop"));
  CHECK_THAT(refused("quickstart.json --knee"), Catch::Contains("workload.rate"));
  CHECK_THAT(refused("one.json --knee --load workload.rato"), Catch::Contains("workload.rato"));
  CHECK_THAT(refused("one.json --knee --probe run.measur=1ms"), Catch::Contains("measur"));
  CHECK(run_racksim(folder, "run one.json --loss 0.1").status == 2);
  const Outcome outside = run_racksim(folder, "run one.json --knee --from 1000 --to 2000 --probe run.measure=10ms");
  CHECK(outside.status == 1);
  CHECK_THAT(outside.err, Catch::Contains("even at 2000"));
}

TEST_CASE("a plan of a knee with a mistake is refused at its place") {
  const std::string criteria = R"("criteria": [{"name": "a", "loss": 0.1}])";
  CHECK(refused_plan(R"({"from": 1, "to": 2, )" + criteria + "}") == "accepted");
  CHECK_THAT(refused_plan(R"({"from": 2, "to": 1, )" + criteria + "}"), Catch::StartsWith("f.json: /knee/to"));
  CHECK_THAT(refused_plan(R"({"from": 0, "to": 1, )" + criteria + "}"), Catch::StartsWith("f.json: /knee/from"));
  CHECK_THAT(refused_plan(R"({"from": 1, "to": 2, "tolerance": 1, )" + criteria + "}"),
             Catch::StartsWith("f.json: /knee/tolerance"));
  CHECK_THAT(refused_plan(R"({"from": 1, "to": 2})"), Catch::StartsWith("f.json: /knee/criteria"));
  CHECK_THAT(refused_plan(R"({"from": 1, "to": 2, "criteria": [{"name": "a", "loss": 1}]})"),
             Catch::StartsWith("f.json: /knee/criteria") && Catch::Contains("below 1"));
  CHECK_THAT(refused_plan(R"({"from": 1, "to": 2, "criteria": [{"name": "a"}]})"),
             Catch::StartsWith("f.json: /knee/criteria/0/loss"));
  CHECK_THAT(refused_plan(R"({"from": 1, "to": 2,
                              "criteria": [{"name": "a", "loss": 0.1}, {"name": "a", "loss": 0.2}]})"),
             Catch::StartsWith("f.json: /knee/criteria/1/name"));
}

TEST_CASE("a figure runs each point at its own knee, under each criterion") {
  const TemporaryFolder folder;
  folder.write("one.json", kOneServer);
  folder.write("figures/knees.json", figure_of(kTwoCriteria));
  const Outcome outcome = run_racksim(folder, "figure figures/knees.json --jobs 1 --out points");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const std::string csv = content(folder.path() / "points/points.csv");
  CHECK_THAT(
      csv, Catch::StartsWith(
               "servers,series,criterion,seed,throughput [Mops],knee [Mops],loss [share],verdict,run_hash,command\n"));
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 1 + 2 * 2);
  // A claim about numbers is judged under the criterion that was fitted, and the other stands beside it.
  CHECK_THAT(outcome.out, Catch::Contains("met (fitted)  own/capacity") && Catch::Contains("artifact: 0.1"));
  CHECK_THAT(outcome.out, Catch::Contains("; fitted: 0.1"));
  CHECK_THAT(outcome.out, Catch::Contains("knee.fitted.loss = 0.2, fitted to own/capacity: made up"));
  // What is printed to repeat a point carries the load of its knee.
  const JsonValue report =
      parse_json(run_racksim(folder, "figure figures/knees.json --jobs 1 --out points --json").out, "report");
  const auto& points = *report.find("points")->elements();
  REQUIRE(points.size() == 4);
  CHECK_THAT(*points[1].find("command")->string(),
             Catch::Contains("--set workload.rate=") && Catch::Contains("run.expect_timeouts=true"));
  const double strict = *points[0].find("values")->find("knee")->number();
  const double loose = *points[1].find("values")->find("knee")->number();
  CHECK(strict == Approx(0.1 / 0.98).epsilon(0.04));
  CHECK(loose == Approx(0.1 / 0.8).epsilon(0.04));
}

TEST_CASE("all but a value that the paper prints is met only if it is under every criterion") {
  const TemporaryFolder folder;
  folder.write("one.json", kOneServer);
  JsonValue figure = parse_json(figure_of(kTwoCriteria), "figure");
  // The knee lies above 110,000 requests/s under the fitted criterion alone.
  figure.set("claims", parse_json(R"([{"id": "own/above", "paper": {"order": ["NoCache", ">", 0.11]},
                                       "read": {"metric": "knee", "x": 1}},
                                      {"id": "own/at-least", "paper": {"min": 0.11},
                                       "read": {"metric": "knee", "series": "NoCache", "x": 1}},
                                      {"id": "own/value", "paper": {"value": 0.125, "rounding": 0.005},
                                       "read": {"metric": "knee", "series": "NoCache", "x": 1}}])",
                                  "claims"));
  folder.write("figures/knees.json", to_json(figure));
  const Outcome outcome = run_racksim(folder, "figure figures/knees.json --jobs 1 --out points");
  CAPTURE(outcome.err);
  CHECK_THAT(outcome.out, Catch::Contains("not met (artifact)") && Catch::Contains("% (artifact)  own/at-least"));
  CHECK_THAT(outcome.out, Catch::Contains("1 of 3 claims met, 2 off"));
}

TEST_CASE("with several placements a figure tells the mean and what each gives") {
  const TemporaryFolder folder;
  folder.write("one.json", kOneServer);
  folder.write("figures/knees.json", figure_of(R"([{"name": "artifact", "loss": 0.02}])", R"("placements": [1, 2], )"));
  const Outcome outcome = run_racksim(folder, "figure figures/knees.json --jobs 1 --out points");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const std::string csv = content(folder.path() / "points/points.csv");
  CHECK_THAT(csv, Catch::Contains("2,NoCache,artifact,1,1,") && Catch::Contains("2,NoCache,artifact,1,2,"));
  CHECK_THAT(outcome.out, Catch::Contains(" | ") && Catch::Contains("in 2 of 2 placements"));
  // The quick version takes the first alone.
  const Figure quick = load_figure((folder.path() / "figures/knees.json").string(), built_in_catalogue(), true);
  CHECK(quick.points.size() == 2);
  CHECK(quick.points[0].scenario.file == quick.base);
}

TEST_CASE("a knee of a series without a load is a mistake in the figure file") {
  const TemporaryFolder folder;
  folder.write("one.json", kOneServer);
  JsonValue figure = parse_json(figure_of(kTwoCriteria), "figure");
  figure.find("set")->set("workload.loop", "closed");
  const std::string file = folder.write("figures/knees.json", to_json(figure));
  CHECK_THAT(refusal([&] { load_figure(file, built_in_catalogue(), false); }),
             Catch::Contains("/knee") && Catch::Contains("an open loop"));
  figure = parse_json(figure_of(kTwoCriteria), "figure");
  figure.find("knee")->set("probe", parse_json(R"({"run.measur": "1ms"})", "probe"));
  folder.write("figures/knees.json", to_json(figure));
  CHECK_THAT(refusal([&] { load_figure(file, built_in_catalogue(), false); }),
             Catch::Contains("/knee/probe") && Catch::Contains("did you mean \"measure\"?"));
  figure = parse_json(figure_of(kTwoCriteria, R"("placements": [1, 1], )"), "figure");
  folder.write("figures/knees.json", to_json(figure));
  CHECK_THAT(refusal([&] { load_figure(file, built_in_catalogue(), false); }), Catch::Contains("/placements/1"));
}

}  // namespace knee_command_test
