// What an application sees of try-locks, on whichever protocol has latches of lines of disaggregated memory.
#pragma once

#include <catch2/catch.hpp>
#include <optional>

#include "sim/kernel/waiting.hpp"
#include "tests/protocols/disaggregated_run.hpp"

namespace racksim::testing {

/// Whether a try-lock is granted, and how long it takes.
struct Tried {
  bool granted = false;
  sim::Duration took{};
};

/// Has a session try; no longer than other calls wait.
template <class Run>
Tried try_lock(Run& run, models::Session session, std::uint64_t i, models::LockMode mode) {
  std::optional<Tried> tried;
  const auto task = [&]() -> sim::Task<void> {
    const sim::Time begun = run.calendar.now();
    const bool granted = co_await run.memory.try_lock(session, run.line(i), mode);
    tried = Tried{granted, run.calendar.now() - begun};
  };
  run.spawn(task(), session.node);
  run.advance(300_us);
  REQUIRE(tried);
  return *tried;
}

/// Has it take the lock, or give it back.
template <class Run>
void take_lock(Run& run, models::Session session, std::uint64_t i, models::LockMode mode) {
  run.spawn(run.memory.lock(session, run.line(i), mode), session.node);
  run.advance(300_us);
}
template <class Run>
void give_lock_back(Run& run, models::Session session, std::uint64_t i) {
  run.spawn(run.memory.unlock(session, run.line(i)), session.node);
  run.advance(300_us);
}

/// A try fails against whoever holds the lock in a way that excludes it, be it by a try: at its node and at another. It is
/// granted once that is over, and nothing is left of those that failed.
template <class Run>
void check_that_tries_fail_against_holders(Run& run) {
  using models::LockMode;
  for (const bool holder_tries : {false, true}) {
    for (const LockMode held : {LockMode::exclusive, LockMode::shared}) {
      INFO("held " << (held == LockMode::shared ? "shared" : "exclusively") << (holder_tries ? " by a try" : ""));
      if (holder_tries) {
        REQUIRE(try_lock(run, {0, 0}, 0, held).granted);
      } else {
        take_lock(run, {0, 0}, 0, held);
      }
      CHECK_FALSE(try_lock(run, {1, 0}, 0, LockMode::exclusive).granted);
      CHECK_FALSE(try_lock(run, {0, 1}, 0, LockMode::exclusive).granted);
      const bool shares = try_lock(run, {2, 0}, 0, LockMode::shared).granted;
      CHECK(shares == (held == LockMode::shared));
      if (shares) give_lock_back(run, {2, 0}, 0);
      give_lock_back(run, {0, 0}, 0);
      CHECK(try_lock(run, {1, 0}, 0, LockMode::exclusive).granted);
      give_lock_back(run, {1, 0}, 0);
    }
  }
  run.finish();
  CHECK(run.violations() == "");
}

/// A try gets a line that others have cached, or have written, and do not use, and then reads what they have written.
template <class Run>
void check_that_tries_get_what_is_not_in_use(Run& run) {
  using models::LockMode;
  for (const LockMode mode : {LockMode::shared, LockMode::exclusive}) {
    run.write(0, 0);
    CHECK(try_lock(run, {1, 0}, 0, mode).granted);
    sim::Value read;
    const auto look = [&]() -> sim::Task<void> { read = co_await run.memory.read({1, 0}, run.line(0)); };
    run.spawn(look(), 1);
    run.advance(100_us);
    CHECK(read == run.memory.newest_value({0, 0}));
    give_lock_back(run, {1, 0}, 0);
    run.read(2, 0);
    run.read(3, 0);
    CHECK(try_lock(run, {1, 0}, 0, mode).granted);
    give_lock_back(run, {1, 0}, 0);
  }
  run.finish();
  CHECK(run.violations() == "");
}

/// A thread that holds a lock does not try to get it once more.
template <class Run>
void check_that_a_holder_does_not_try(Run& run) {
  take_lock(run, {0, 0}, 0, models::LockMode::exclusive);
  const auto attempt = [&]() -> sim::Task<void> { co_await run.memory.try_lock({0, 0}, run.line(0)); };
  CHECK(run.refusal(attempt()).find("asks for a latch that it holds") != std::string::npos);
  give_lock_back(run, {0, 0}, 0);
  run.finish();
  CHECK(run.violations() == "");
}

}  // namespace racksim::testing
