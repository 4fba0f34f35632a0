// The line of progress on a terminal and off it, when it appears, and what it says of the time left.
#include "tools/processes/progress_line.hpp"

#include <pty.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/tools/run_racksim.hpp"

namespace progress_line_test {

using namespace racksim::tools;
using namespace std::chrono_literals;

namespace {

/// Makes standard error a terminal, or a pipe, while it lives.
class StandardError {
 public:
  explicit StandardError(bool terminal) : saved_(dup(STDERR_FILENO)) {
    int ends[2];
    if (terminal) {
      REQUIRE(openpty(&ends[0], &ends[1], nullptr, nullptr, nullptr) == 0);
    } else {
      REQUIRE(pipe(ends) == 0);
    }
    other_ = ends[0];
    own_ = ends[1];
    dup2(own_, STDERR_FILENO);
  }
  ~StandardError() {
    dup2(saved_, STDERR_FILENO);
    for (const int file : {saved_, own_, other_}) close(file);
  }
  StandardError(const StandardError&) = delete;
  StandardError& operator=(const StandardError&) = delete;

 private:
  int saved_, own_ = -1, other_ = -1;
};

/// Sets what the form follows from, and puts it back.
class Environment {
 public:
  Environment(const char* progress, const char* no_color, const char* term) {
    set("RACKSIM_PROGRESS", progress);
    set("NO_COLOR", no_color);
    set("TERM", term);
  }
  ~Environment() {
    for (const auto& [name, value] : before_) setenv(name, value.c_str(), 1);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  void set(const char* name, const char* value) {
    const char* before = std::getenv(name);
    before_.emplace_back(name, before != nullptr ? before : "");
    setenv(name, value, 1);
  }
  std::vector<std::pair<const char*, std::string>> before_;
};

/// What a line leaves behind that is shown twice, the second time at once.
std::string written(ProgressForm form, std::chrono::milliseconds patience = 0ms) {
  std::ostringstream err;
  {
    ProgressLine line(err, form, patience);
    for (const char* text : {"half", "most"}) line.show([&](double) { return text; });
  }
  return err.str();
}

}  // namespace

TEST_CASE("a progress line is written on a terminal, not too often, and wiped at the end") {
  CHECK(written(ProgressForm::rewritten) == "\r\033[Khalf\r\033[K");
}

TEST_CASE("off a terminal progress is plain lines, not too often, that stay") {
  CHECK(written(ProgressForm::lines) == "half\n");
}

TEST_CASE("there is no progress line before patience is over, and none that nobody wants") {
  for (const auto form : {ProgressForm::rewritten, ProgressForm::lines}) CHECK(written(form, 1h).empty());
  CHECK(written(ProgressForm::none).empty());
  std::ostringstream err;
  const Environment environment("lines", "", "xterm");
  CHECK(ProgressLine(err, true).visible());
  CHECK_FALSE(ProgressLine(err, false).visible());
  CHECK(ProgressLine::kPatience == 2s);
}

TEST_CASE("the form follows from standard error and the environment") {
  struct Case {
    bool terminal;
    const char *progress, *no_color, *term;
    ProgressForm form;
  };
  for (const Case& one : {Case{true, "", "", "xterm", ProgressForm::rewritten},
                          {true, "", "1", "xterm", ProgressForm::lines},
                          {true, "", "", "dumb", ProgressForm::lines},
                          {true, "lines", "", "xterm", ProgressForm::lines},
                          {true, "none", "", "xterm", ProgressForm::none},
                          {false, "", "", "xterm", ProgressForm::lines},
                          {false, "none", "1", "dumb", ProgressForm::none}}) {
    const Environment environment(one.progress, one.no_color, one.term);
    const StandardError error(one.terminal);
    const ProgressForm form = progress_form();
    CHECK(form == one.form);
  }
}

TEST_CASE("the time left is what the rest of the work takes at the pace so far, where that can be told") {
  CHECK(time_left(10, 0.5) == ", about 10 s left");
  CHECK(time_left(10, 0.25) == ", about 30 s left");
  CHECK(time_left(60, 0.1) == ", about 9 min left");
  CHECK(time_left(360, 0.05) == ", about 1.9 h left");
  CHECK(time_left(10, std::uint64_t{3}, std::uint64_t{4}) == ", about 3 s left");
  for (const double nothing : {0.0, 0.001, 1.0, 1.5}) CHECK(time_left(10, nothing).empty());
  CHECK(time_left(10, std::uint64_t{0}, std::uint64_t{0}).empty());
}

TEST_CASE("a ticker shows what was told last though nobody tells anything more, and nothing before") {
  std::ostringstream err;
  {
    ProgressLine line(err, ProgressForm::lines, 0ms);
    std::atomic<unsigned> asked = 0;
    ProgressTicker ticker(line);
    ticker.tell([](double) { return std::string("old"); });
    ticker.tell([&](double) {
      ++asked;
      return std::string("new");
    });
    while (asked == 0) std::this_thread::sleep_for(1ms);
  }
  CHECK_THAT(err.str(), Catch::EndsWith("new\n"));
  std::ostringstream nothing;
  {
    ProgressLine line(nothing, ProgressForm::lines, 0ms);
    ProgressTicker ticker(line);
  }
  CHECK(nothing.str().empty());
}

TEST_CASE("a run that lasts tells its progress on a pipe in plain lines, and with --quiet nothing") {
  const testing::TemporaryFolder folder;
  // As Ctrl-C would, after so many seconds.
  const auto told = [&](const std::string& seconds, const std::string& option) {
    return testing::run_racksim(
        folder,
        "run " + racksim::places::source_folder() + "/scenarios/quickstart.json --set run.measure=100s " + option,
        "RACKSIM_PROGRESS= timeout -s INT " + seconds + " " + racksim::places::racksim_program());
  };
  const auto loud = told("4", "");
  CHECK(loud.out.empty());
  CHECK_THAT(loud.err, Catch::Contains(" ms simulated, ") && Catch::Contains(" operations, ") &&
                           Catch::Contains("/s, ") && Catch::Contains(" s\n"));
  CHECK_THAT(loud.err, !Catch::Contains("\r") && !Catch::Contains("\033"));
  CHECK_THAT(told("3", "--quiet").err, !Catch::Contains("ms simulated, "));
}

}  // namespace progress_line_test
