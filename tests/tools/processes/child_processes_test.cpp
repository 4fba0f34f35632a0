#include "tools/processes/child_processes.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <map>
#include <stdexcept>
#include <thread>

namespace child_processes_test {

using namespace racksim::tools;
using namespace std::chrono_literals;
using Ending = ChildResult::Ending;

namespace {

ChildResult result_of(const ChildProcesses::Work& work, std::optional<std::chrono::milliseconds> limit = std::nullopt) {
  ChildProcesses children(1, limit);
  children.start(7, work);
  std::optional<ChildResult> result;
  while (!result) result = children.wait(1000ms);
  return *result;
}

}  // namespace

TEST_CASE("a child's answer arrives whole and with its id") {
  const std::string long_text(1 << 20, 'x');
  const ChildResult result = result_of([&] { return long_text; });
  CHECK(result.id == 7);
  CHECK(result.answered());
  CHECK(result.text == long_text);
}

TEST_CASE("an exception in a child is told in its own words") {
  const ChildResult result = result_of([]() -> std::string { throw std::runtime_error("no luck"); });
  CHECK(result.ending == Ending::threw);
  CHECK(result.text == "no luck");
}

TEST_CASE("a child that dies by a signal is told from one that answers") {
  const ChildResult result = result_of([]() -> std::string {
    std::signal(SIGTERM, SIG_DFL);
    std::raise(SIGTERM);
    return "never said";
  });
  CHECK(result.ending == Ending::killed);
  CHECK(result.text == "the run was ended by signal 15 (Terminated)");
}

TEST_CASE("a child that never ends is killed at its limit") {
  const ChildResult result = result_of(
      []() -> std::string {
        for (;;) std::this_thread::sleep_for(1s);
      },
      50ms);
  CHECK(result.ending == Ending::timed_out);
}

TEST_CASE("many children end each once and no more run at a time than asked") {
  ChildProcesses children(3);
  std::map<std::uint64_t, std::string> answers;
  std::uint64_t next = 0;
  while (answers.size() < 20) {
    while (next < 20 && children.has_room()) {
      children.start(next, [next] { return std::to_string(next * next); });
      ++next;
    }
    CHECK(children.running() <= 3);
    if (const auto ended = children.wait(1000ms)) CHECK(answers.emplace(ended->id, ended->text).second);
  }
  for (const auto& [id, text] : answers) CHECK(text == std::to_string(id * id));
  CHECK_FALSE(children.wait(0ms));
}

TEST_CASE("a piece of work in a child of its own answers, or what went wrong in it is thrown") {
  CHECK(answer_of([] { return std::string("42"); }, "").text == "42");
  CHECK(answer_of([] { return std::string(); }, "").peak_bytes > 0);
  CHECK_THROWS_WITH(answer_of([]() -> std::string { throw std::runtime_error("no luck"); }, ""), "no luck");
  CHECK_THROWS_WITH(answer_of([]() -> std::string { _exit(9); }, ""), "the run ended with status 9");
}

}  // namespace child_processes_test
