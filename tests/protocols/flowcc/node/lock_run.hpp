// Scripts that lock blocks (protocols/flowcc/node/block_locks.hpp).
#pragma once

#include <stdexcept>
#include <string>

#include "tests/protocols/flowcc/flowcc_run.hpp"

namespace racksim::flowcc::testing {

/// A script whose threads lock, as a run of FlowCC or one in which blocks migrate.
template <class Run>
class LockScript : public Run {
 public:
  using Run::Run;

  /// What has become of a request for a lock.
  struct Asked {
    bool over = false, granted = false;
    std::string failure;  ///< what it threw
  };
  /// Has a thread ask for a lock.
  void ask(models::Session session, models::GlobalAddress at, models::LockMode mode, Asked& asked) {
    this->spawn(take(session, at, mode, asked), session.node);
  }
  /// Has a thread try to lock.
  void ask_to_try(models::Session session, models::GlobalAddress at, models::LockMode mode, Asked& asked) {
    this->spawn(try_to_take(session, at, mode, asked), session.node);
  }
  /// The same as `ask`, and lets all that it causes come to rest, or to wait.
  Asked lock(models::Session session, models::GlobalAddress at, models::LockMode mode) {
    Asked asked;
    this->spawn(take(session, at, mode, asked), session.node);
    this->advance(300_us);
    if (!asked.over) throw std::logic_error("a lock that should be granted waits");
    return asked;
  }
  Asked try_lock(models::Session session, models::GlobalAddress at, models::LockMode mode) {
    Asked asked;
    this->spawn(try_to_take(session, at, mode, asked), session.node);
    this->advance(300_us);
    if (!asked.over) throw std::logic_error("a try-lock waits");
    return asked;
  }
  /// Returns why it is refused; empty if it is not.
  std::string unlock(models::Session session, models::GlobalAddress at) {
    Asked asked;
    this->spawn(give_back(session, at, asked), session.node);
    this->advance(300_us);
    return asked.failure;
  }

 private:
  sim::Task<void> take(models::Session session, models::GlobalAddress at, models::LockMode mode, Asked& asked) {
    try {
      co_await this->protocol->lock(session, at, mode);
      asked.granted = true;
    } catch (const std::exception& error) {
      asked.failure = error.what();
    }
    asked.over = true;
  }
  sim::Task<void> try_to_take(models::Session session, models::GlobalAddress at, models::LockMode mode, Asked& asked) {
    asked.granted = co_await this->protocol->try_lock(session, at, mode);
    asked.over = true;
  }
  sim::Task<void> give_back(models::Session session, models::GlobalAddress at, Asked& asked) {
    try {
      co_await this->protocol->unlock(session, at);
    } catch (const std::exception& error) {
      asked.failure = error.what();
    }
  }
};

}  // namespace racksim::flowcc::testing
