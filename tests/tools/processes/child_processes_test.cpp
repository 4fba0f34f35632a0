#include "tools/processes/child_processes.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <map>
#include <new>
#include <stdexcept>
#include <thread>

#include "tools/text/system_error.hpp"

namespace child_processes_test {

using namespace racksim::tools;
using namespace std::chrono_literals;
using Ending = ChildResult::Ending;

namespace {

ChildResult result_of(const ChildProcesses::Work& work, std::optional<std::chrono::milliseconds> limit = std::nullopt) {
  ChildProcesses children(1, limit);
  REQUIRE(children.start(7, work));
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
      if (children.start(next, [next] { return std::to_string(next * next); })) ++next;
    }
    CHECK(children.running() <= 3);
    if (const auto ended = children.wait(1000ms)) CHECK(answers.emplace(ended->id, ended->text).second);
  }
  for (const auto& [id, text] : answers) CHECK(text == std::to_string(id * id));
  CHECK_FALSE(children.wait(0ms));
}

TEST_CASE("children that the system has no descriptors for begin when others have ended") {
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  ChildProcesses children(20);
  const int lowest = dup(STDIN_FILENO);  // what comes next
  close(lowest);
  rlimit few = before;
  few.rlim_cur = static_cast<rlim_t>(lowest) + 4;
  REQUIRE(setrlimit(RLIMIT_NOFILE, &few) == 0);
  std::size_t begun = 0, ended = 0, most = 0;
  bool refused = false;
  while (ended < 20) {
    while (begun < 20 && children.has_room()) {
      const bool begins = children.start(begun, [] { return std::string("done"); });
      begun += begins ? 1 : 0;
      refused = refused || !begins;
    }
    most = std::max(most, children.running());
    if (const auto child = children.wait(1000ms)) ended += child->answered() ? 1 : 0;
  }
  setrlimit(RLIMIT_NOFILE, &before);
  CHECK(refused);
  CHECK(most < 5);
}

TEST_CASE("children that the system has no processes for begin when others have ended, and without any that is said") {
  // The limit counts a user's processes and does not bind root, so the test becomes a user that has none.
  constexpr uid_t kNobody = 65534;
  const bool root = geteuid() == 0;
  const auto begun = [&](rlim_t allowed) {
    return answer_of(
               [&]() -> std::string {
                 if (root && setresuid(kNobody, kNobody, kNobody) != 0) return "cannot become nobody";
                 const rlimit limit{allowed, allowed};
                 if (setrlimit(RLIMIT_NPROC, &limit) != 0) return "cannot set the limit";
                 ChildProcesses children(20);
                 std::size_t ended = 0, most = 0;
                 try {
                   for (std::size_t id = 0; ended < 20;) {
                     while (id < 20 && children.has_room() && children.start(id, [] { return std::string("done"); })) {
                       ++id;
                     }
                     most = std::max(most, children.running());
                     if (const auto child = children.wait(1000ms)) ended += child->answered() ? 1 : 0;
                   }
                 } catch (const SystemError& error) {
                   return error.what();
                 }
                 return std::to_string(most);
               },
               "")
        .text;
  };
  CHECK_THAT(begun(1), Catch::Contains("Resource temporarily unavailable"));
  if (root) CHECK(begun(4) == "3");  // itself is the fourth
}

TEST_CASE("work for which there is no memory is told apart from work that is wrong") {
  CHECK_THROWS_AS(answer_of([]() -> std::string { throw std::bad_alloc(); }, ""), SystemError);
}

TEST_CASE("a piece of work in a child of its own answers, or what went wrong in it is thrown") {
  CHECK(answer_of([] { return std::string("42"); }, "").text == "42");
  CHECK(answer_of([] { return std::string(); }, "").peak_bytes > 0);
  CHECK_THROWS_WITH(answer_of([]() -> std::string { throw std::runtime_error("no luck"); }, ""), "no luck");
  CHECK_THROWS_WITH(answer_of([]() -> std::string { _exit(9); }, ""), "the run ended with status 9");
}

}  // namespace child_processes_test
