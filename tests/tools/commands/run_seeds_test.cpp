// `racksim run --seeds` and `--precision` as a person uses them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/tools/small_scenario.hpp"
#include "tools/json/json_document.hpp"
#include "tools/statistics/mean_interval.hpp"

namespace run_seeds_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

struct Small : SmallScenario {
  Outcome run(const std::string& arguments) const { return call("run small.json " + arguments); }
  JsonValue json(const std::string& arguments) const { return parse_json(run(arguments + " --json").out, "report"); }
};

std::vector<double> numbers_of(const JsonValue& array) {
  std::vector<double> numbers;
  for (const JsonValue& value : *array.elements()) numbers.push_back(value.number().value());
  return numbers;
}

}  // namespace

TEST_CASE("runs with several seeds are those of each seed alone, whatever runs at a time") {
  const Small small;
  const JsonValue report = small.json("--seeds 3 --jobs 2");
  const auto& runs = *report.find("runs")->elements();
  REQUIRE(runs.size() == 3);
  const JsonValue& throughput = *report.find("metrics")->find("throughput_mops");
  const JsonValue& p99 = *report.find("metrics")->find("latency_ns.p99");
  for (std::size_t i = 0; i < 3; ++i) {
    const JsonValue alone = small.json("--seed " + std::to_string(7 + i));
    CHECK(runs[i].find("seed")->natural() == 7 + i);
    CHECK(*runs[i].find("run_hash")->string() == *alone.find("run_hash")->string());
    CHECK(numbers_of(*throughput.find("values"))[i] == *alone.find("metrics")->find("throughput_mops")->number());
    CHECK(numbers_of(*p99.find("values"))[i] == *alone.find("metrics")->find("latency_ns")->find("p99")->number());
  }
  const auto interval = mean_interval(numbers_of(*throughput.find("values")));
  CHECK(*throughput.find("mean")->number() == interval->mean);
  CHECK(*throughput.find("half_width")->number() == *interval->half_width);
  CHECK(*throughput.find("least")->number() == interval->least);
  CHECK(*throughput.find("unit")->string() == "Mops");
  CHECK(small.run("--seeds 3 --jobs 1 --json").out == small.run("--seeds 3 --jobs 3 --json").out);
}

TEST_CASE("each run of several is kept in a folder of its own, as if it had been run alone") {
  const Small small;
  const std::string files = " --set observe.series.file=s.csv --set observe.series.interval=5us";
  CHECK(small.run("--seeds 2 --jobs 2 --quiet --out kept" + files).status == 0);
  for (const std::string seed : {"7", "8"}) {
    CHECK(small.run("--seed " + seed + " --quiet --out alone-" + seed + files).status == 0);
    const auto kept = small.folder.path() / ("kept/seed-" + seed), alone = small.folder.path() / ("alone-" + seed);
    for (const char* file : {"config.json", "checkpoints.json", "s.csv"}) {
      INFO(seed << " " << file);
      CHECK_FALSE(content(kept / file).empty());
      CHECK(content(kept / file) == content(alone / file));
    }
    JsonValue report = read_json_file((kept / "report.json").string()),
              other = read_json_file((alone / "report.json").string());
    CHECK(*report.find("run_hash")->string() == *other.find("run_hash")->string());
    CHECK(*report.find("command")->string() == *other.find("command")->string());
  }
}

TEST_CASE("several runs that are not kept write no observed files, and say so") {
  const Small small;
  const auto outcome = small.run("--seeds 2 --set observe.series.file=s.csv --set observe.operations=o.csv");
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.err, Catch::Contains("several runs write observed files with --out DIR alone"));
  CHECK_FALSE(std::filesystem::exists(small.folder.path() / "s.csv"));
  CHECK_FALSE(std::filesystem::exists(small.folder.path() / "o.csv"));
}

TEST_CASE("a folder that cannot hold the runs is refused before the first of them") {
  const Small small;
  small.folder.write("taken", "a file");
  const auto outcome = small.run("--seeds 2 --out taken");
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, Catch::Contains("--out"));
}

TEST_CASE("seeds follow the one that is given") {
  const Small small;
  const auto outcome = small.run("--seed 100 --seeds 2");
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, Catch::Contains("seeds 100 to 101") && Catch::Contains("throughput_mops") &&
                              Catch::Contains("latency_ns.p99") && Catch::Contains("verdict      pass") &&
                              !Catch::Contains("flowcc."));
  CHECK_THAT(small.run("--seeds 2 --verbose").out, Catch::Contains("flowcc."));
  CHECK(small.run("--seeds 2 --quiet").out.empty());
}

TEST_CASE("a run that fails is named with the command that repeats it, and all of them fail") {
  const Small small;
  const JsonValue good = small.json("--seeds 3");
  const auto values = numbers_of(*good.find("metrics")->find("throughput_mops")->find("values"));
  const double least = *std::min_element(values.begin(), values.end());
  const std::string expect = R"(--set 'expect={"throughput_mops":{"min":)" + std::to_string(least + 1e-5) + "}}'";
  const auto outcome = small.run("--seeds 3 " + expect);
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.out, Catch::Contains("FAIL: 1 of 3 runs") && Catch::Contains("throughput_mops is "));
  const std::size_t at = outcome.out.find("repeat: racksim ");
  REQUIRE(at != std::string::npos);
  const std::string command = outcome.out.substr(at + 16, outcome.out.find('\n', at) - at - 16);
  CHECK(run_racksim(small.folder, command).status == 1);
}

TEST_CASE("a precision adds seeds from five on until it is reached, or says that it is not") {
  const Small small;
  const auto loose = small.run("--precision 90%");
  CHECK(loose.status == 0);
  CHECK_THAT(loose.out, Catch::Contains("seeds 7 to 11") && Catch::Contains("within 90 % with 5 seeds"));
  const auto tight = small.run("--precision 0.0001% --most-seeds 6");
  CHECK(tight.status == 0);
  CHECK_THAT(tight.out,
             Catch::Contains("seeds 7 to 12") && Catch::Contains("not within 0.0001 % with 6 seeds, the most"));
  // So many as are needed, and one less is not enough.
  const JsonValue report = small.json("--precision 3% --jobs 3");
  const JsonValue& metrics = *report.find("metrics");
  const auto within = [&](const char* name, std::size_t runs) {
    auto values = numbers_of(*metrics.find(name)->find("values"));
    values.resize(runs);
    return *mean_interval(values)->relative() <= 0.03;
  };
  const std::size_t runs = report.find("runs")->elements()->size();
  CHECK(within("throughput_mops", runs));
  CHECK(within("latency_ns.mean", runs));
  CHECK((runs == 5 || !within("throughput_mops", runs - 1) || !within("latency_ns.mean", runs - 1)));
  CHECK(*report.find("precision")->find("reached")->boolean());
}

TEST_CASE("seeds and precisions that make no sense are refused, and nothing runs") {
  const Small small;
  const auto refused = [&](const std::string& arguments) {
    const Outcome outcome = small.run(arguments);
    CAPTURE(arguments);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    return outcome.err;
  };
  CHECK_THAT(refused("--seeds 0"), Catch::Contains("--seeds"));
  CHECK_THAT(refused("--seeds -1"), Catch::Contains("--seeds"));
  for (const char* wrong : {"2", "0%", "-1%", "nan%", "inf%", "101%", "%", "2%%", "much"}) {
    CHECK_THAT(refused(std::string("--precision ") + wrong), Catch::Contains("--precision") && Catch::Contains("2%"));
  }
  CHECK_THAT(refused("--most-seeds 9"), Catch::Contains("--precision"));
  CHECK_THAT(refused("--precision 2% --most-seeds 4"), Catch::Contains("from 5 to"));
  CHECK_THAT(refused("--jobs 2"), Catch::Contains("--seeds"));
  CHECK_THAT(refused("--seeds 2 --profile"), Catch::Contains("one of the two"));
  CHECK_THAT(refused("--knee --out o"), Catch::Contains("one of the two"));
  CHECK_THAT(refused("--seeds 2 --profile"), Catch::Contains("one of the two"));
  CHECK_THAT(refused("--knee --precision 2%"), Catch::Contains("one of the two"));
  CHECK_THAT(refused("--seeds 2 --seed 18446744073709551615"), Catch::Contains("below 2^64"));
  CHECK_THAT(refused("--seeds 2 --set run.measur=1ms"), Catch::Contains("measur"));
}

}  // namespace run_seeds_test
