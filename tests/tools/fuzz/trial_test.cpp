// Trials in child processes: their order does not depend on the number of jobs, and no ending is mistaken for another.
#include "tools/fuzz/trial.hpp"

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace trial_test {

using namespace racksim::tools;
using namespace std::chrono_literals;

namespace {

TrialResult only_trial(const std::function<TrialResult()>& trial, std::chrono::milliseconds limit = 30s) {
  return try_once({1, limit}, trial);
}

}  // namespace

TEST_CASE("results come in the order of their numbers whatever the order of their ends") {
  for (const unsigned jobs : {1U, 4U}) {
    std::vector<std::uint64_t> taken;
    run_trials(
        {jobs, 30s},
        [](std::uint64_t number, std::uint64_t) {
          if (number % 3 == 0) std::this_thread::sleep_for(20ms);
          TrialResult result;
          result.operations = number * number;
          return result;
        },
        [](std::uint64_t number) { return number < 12; },
        [&](std::uint64_t number, const TrialResult& result) {
          CHECK(result.operations == number * number);
          taken.push_back(number);
          return number != 9;  // the rest is forgotten
        });
    CHECK(taken == std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  }
}

TEST_CASE("a failure arrives with everything that was said of it") {
  const TrialResult sent{TrialResult::Verdict::failed,
                         "stall",
                         {"stall", "progress"},
                         "no \"end\"",
                         racksim::sim::Time::from_ps(12345),
                         7,
                         8,
                         "abc",
                         "0f",
                         "",
                         2,
                         {{3, 4}, {5, 6}}};
  const TrialResult result = only_trial([&] { return sent; });
  CHECK(result.failed());
  CHECK(result.kind == "stall");
  CHECK(result.shows("progress"));
  CHECK_FALSE(result.shows("data-value"));
  CHECK(result.what == sent.what);
  CHECK(result.at == sent.at);
  CHECK(result.operations == 7);
  CHECK(result.events == 8);
  CHECK(result.hash == "abc");
  CHECK(result.coverage == "0f");
  REQUIRE(result.work.size() == 2);
  CHECK(result.work[1].part == 5);
  CHECK(result.work[1].whole == 6);
}

TEST_CASE("a run that loops for ever is a hang") {
  const TrialResult result = only_trial(
      []() -> TrialResult {
        for (;;) std::this_thread::sleep_for(1s);
      },
      50ms);
  CHECK(result.failed());
  CHECK(result.kind == "hang");
}

TEST_CASE("a run that aborts is a crash with its last words") {
  const TrialResult result = only_trial([]() -> TrialResult {
    std::fputs("Assertion `lock == 0' failed.\n", stderr);
    std::signal(SIGABRT, SIG_DFL);  // Catch handles it in this process and so in its children
    std::abort();
  });
  CHECK(result.failed());
  CHECK(result.kind == "crash");
  CHECK(result.what.find("signal 6") != std::string::npos);
  CHECK(result.what.find("Assertion `lock == 0' failed.") != std::string::npos);
}

TEST_CASE("a run that throws is an exception in its own words") {
  const TrialResult result = only_trial([]() -> TrialResult { throw std::runtime_error("out of retries"); });
  CHECK(result.failed());
  CHECK(result.kind == "exception");
  CHECK(result.what == "out of retries");
}

}  // namespace trial_test
