// One child process: its pipe, its end and its memory, and programs that are run.
#include "tools/processes/child_process.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <memory>
#include <string>
#include <vector>

namespace child_process_test {

using namespace racksim::tools;
using Signals = ChildProcess::Signals;

namespace {

std::string output_of(ChildProcess& child) {
  std::string text;
  while (child.read_some(text)) {
  }
  return text;
}

int sleep_forever(int) {
  for (;;) pause();
}

}  // namespace

TEST_CASE("what a child writes is read to its end, and its status is told") {
  const std::string long_text(1 << 20, 'x');
  ChildProcess child([&](int pipe) {
    write_all(pipe, long_text);
    write_all(pipe, "end");
    return 3;
  });
  CHECK(output_of(child) == long_text + "end");
  const auto end = child.wait();
  REQUIRE(WIFEXITED(end.status));
  CHECK(WEXITSTATUS(end.status) == 3);
  CHECK(end.errors.empty());
}

TEST_CASE("a child's peak of memory counts what it had and gave back") {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  ChildProcess child([](int) {
    std::vector<char> big(kBytes);
    volatile char* touched = big.data();  // volatile: a compiler may drop an allocation whose use it can foresee
    for (std::size_t i = 0; i < kBytes; i += 4096) touched[i] = 'x';
    return 0;
  });
  CHECK(child.wait().peak_bytes >= kBytes);
}

TEST_CASE("captured errors of a child are its last lines") {
  ChildProcess child(
      [](int) {
        const std::string text = "beginning" + std::string(5000, '.') + "\nlast line\n\n";
        return write(STDERR_FILENO, text.data(), text.size()) > 0 ? 0 : 1;
      },
      Signals::ignored, ChildErrors::captured);
  const auto end = child.wait();
  CHECK(end.status == 0);
  CHECK_THAT(end.errors, Catch::EndsWith(".\nlast line") && !Catch::Contains("beginning"));
}

TEST_CASE(
    "a program that is run for what it writes tells how it ended, and one that is not there that it did not start") {
  const ProgramEnd end = run_program({"sh", "-c", "printf 'a\\0b'; echo no >&2; exit 5"});
  CHECK(end.started);
  CHECK(end.status == 5);
  CHECK(end.output == std::string("a\0b", 3));
  CHECK(end.errors == "no");
  CHECK(run_program({"sh", "-c", "kill -9 $$"}).status == 128 + SIGKILL);
  CHECK_FALSE(run_program({"no-such-program-of-this-test"}).started);
}

TEST_CASE("a child hears neither Ctrl-C nor SIGTERM, and one that is to become a program both") {
  for (const int signal : {SIGINT, SIGTERM}) {
    const auto raising = [signal](int) {
      std::raise(signal);
      return 0;
    };
    CHECK(ChildProcess(raising).wait().status == 0);
    const int status = ChildProcess(raising, Signals::by_default).wait().status;
    REQUIRE(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == signal);
  }
}

TEST_CASE("a child that nobody waited for is gone with its object, and a grandchild with the child") {
  // Each holds an end of this pipe. It is readable, and at its end, once all of them are gone; should one live on, the
  // clock that is set here ends it by a signal, and tells so.
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const auto live_on = [&ends](int) {
    std::signal(SIGALRM, [](int) {});
    alarm(20);
    pause();
    write_all(ends[1], "lived on");
    return 0;
  };
  auto child = std::make_unique<ChildProcess>([&](int output) {
    const ChildProcess grandchild(live_on);
    write_all(output, "ready");
    return sleep_forever(output);
  });
  close(ends[1]);
  std::string ready;
  while (ready != "ready") REQUIRE(child->read_some(ready));
  child.reset();
  char byte = 0;
  CHECK(read(ends[0], &byte, 1) == 0);
  close(ends[0]);
}

TEST_CASE("a program's exit status is told, and why there is none") {
  CHECK(exit_status_of({"true"}) == 0);
  CHECK(exit_status_of({"sh", "-c", "exit $1", "sh", "41"}) == 41);
  CHECK_THROWS_WITH(exit_status_of({"/no/such/program"}),
                    "/no/such/program cannot be started: No such file or directory");
  CHECK_THROWS_WITH(exit_status_of({"sh", "-c", "kill -9 $$"}), "sh was ended by a signal");
}

}  // namespace child_process_test
