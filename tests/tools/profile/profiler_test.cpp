// What a profile says of a run: each part's share, and that the run is the same.
#include "tools/profile/profiler.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <thread>

#include "tests/places.hpp"
#include "tests/tools/run_racksim.hpp"
#include "tools/json/json_document.hpp"

namespace racksim::flowcc {

/// Counts as a protocol's by its namespace.
[[gnu::noinline]] void work_for_a_profile() {
  volatile std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < 100'000'000; ++i) sum = sum + i;
}

}  // namespace racksim::flowcc

namespace profiler_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

// Long enough for some hundred samples: of a part with 3 % of the time some are seen.
const std::string kQuickstart = "quickstart.json --set run.measure='{\"operations\":100000}' --set expect={} --json";

/// The report of a run of a scenario of the tree.
JsonValue report_of(const std::string& arguments) {
  const TemporaryFolder folder;
  const auto outcome = run_racksim(folder, "run " + racksim::places::source_folder() + "/scenarios/" + arguments);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  return parse_json(outcome.out, "report");
}

double share(const JsonValue& report, const char* part) {
  return *report.find("wall")->find("profile")->find("shares")->find(part)->number();
}

}  // namespace

TEST_CASE("Processor time is told by stage, and all of it") {
  Profiler profiler;
  enter(Stage::warm_up);
  volatile std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < 100'000'000; ++i) sum = sum + i;
  enter(Stage::end);
  const Profile profile = profiler.finish();
  CHECK(profile.samples > 10);
  CHECK(profile.seconds[static_cast<std::size_t>(Part::warm_up)] > 0.02);
  CHECK(profile.share(Part::end) < profile.share(Part::warm_up) / 10);
  CHECK(profile.share(Part::protocol) == 0);
  double all = 0;
  for (std::size_t part = 0; part < kParts; ++part) all += profile.share(static_cast<Part>(part));
  CHECK(all == Approx(1));
}

TEST_CASE("It is the thread that profiles whose work is told, whatever the others do") {
  Profile profile;
  std::thread([&profile] {
    Profiler profiler;
    enter(Stage::run);
    racksim::flowcc::work_for_a_profile();
    profile = profiler.finish();
  }).join();
  CHECK(profile.samples > 10);
  CHECK(profile.share(Part::protocol) > 0.5);
  CHECK(profile.share(Part::other) < 0.05);
}

TEST_CASE("A profiled run has the hash of one that is not, and all its parts a share") {
  const auto plain = report_of(kQuickstart), profiled = report_of(kQuickstart + " --profile");
  CHECK(*plain.find("run_hash")->string() == *profiled.find("run_hash")->string());
  CHECK_FALSE(plain.find("wall")->find("profile"));
  double all = 0;
  for (const auto& [name, value] : *profiled.find("wall")->find("profile")->find("shares")->members())
    all += *value.number();
  CHECK(all == Approx(1));
  for (const char* part :
       {"kernel", "passes", "switch", "network", "protocol", "workload", "oracles", "hash", "profile"}) {
    INFO(part);
    CHECK(share(profiled, part) > 0.002);
  }
  CHECK(share(profiled, "other") < 0.05);
  CHECK(share(profiled, "profile") < 0.1);
}

TEST_CASE("A run without oracles spends nothing on them") {
  CHECK(share(report_of(kQuickstart + " --set check.all=false --profile"), "oracles") == 0);
}

TEST_CASE("A run that warms up for long shows it") {
  const std::string warming =
      "flowcc/micro.json --set workload.working_set=32MiB --set workload.shared_bytes=16MiB --set run.measure=1us "
      "--set run.warmup=0us --set expect={} --json --profile --set workload.warm_passes=";
  const auto briefly = report_of(warming + "1"), long_one = report_of(warming + "48");
  CHECK(share(long_one, "warm-up") > 0.5);
  CHECK(share(long_one, "warm-up") > share(briefly, "warm-up"));
}

}  // namespace profiler_test
