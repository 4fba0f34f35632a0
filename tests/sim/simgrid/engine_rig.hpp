// What tests of the SimGrid bridge share. A process can have one engine, so every test runs its engine in a child
// process, which returns what it saw as text.
#pragma once

#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>

#include "sim/simgrid/engine.hpp"

namespace racksim::sim::testing {

// Runs `body` in a child process and returns the text it returns, or "threw: ..." with the exception's message.
// Whatever the child prints comes first: an engine has to be quiet.
inline std::string in_child(const std::function<std::string()>& body) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::fflush(nullptr);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    std::string text;
    try {
      text = body();
    } catch (const std::exception& error) {
      text = fmt::format("threw: {}", error.what());
    }
    std::fputs(text.c_str(), stdout);
    std::exit(0);  // with SimGrid's own clean-up and the leak check of the sanitizers
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  INFO(text);
  REQUIRE(status == 0);
  return text;
}

constexpr Time at(std::int64_t ps) {
  return Time::from_ps(ps);
}
constexpr Duration ps(std::int64_t n) {
  return Duration::from_ps(n);
}
constexpr Time seconds(std::int64_t n) {
  return at(n * 1'000'000'000'000);
}

inline const char* name(Engine::Outcome outcome) {
  switch (outcome) {
    case Engine::Outcome::finished:
      return "finished";
    case Engine::Outcome::limit_reached:
      return "limit reached";
    case Engine::Outcome::idle:
      return "idle";
  }
  return "?";
}

// Writes down what happens when, one line each.
struct Log {
  Calendar& calendar;
  std::string text;

  void note(const std::string& what) { text += fmt::format("{} {}\n", calendar.now().ps(), what); }
  void mark(const char* what) { note(what); }
  std::string end(Engine& engine) {
    note(name(engine.run()));
    return text;
  }
};

struct Finisher {
  Engine& engine;
  void finish() { engine.finish(); }
};

struct Waker {
  Engine::WakeUp& wake_up;
  void wake() { wake_up.wake(); }
};

}  // namespace racksim::sim::testing
