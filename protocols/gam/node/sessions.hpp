// The application threads of a node: which of their operations may be under way together (GAM §4), and the locks that
// they hold.
//
//   pso  reads wait, writes return at once and go to their lines, where those of one thread keep their order
//   tso  the same, but a write goes to its line when the one before it is performed; reads go on, and see it
//   sc   writes wait too
//
// A fence, a lock and an unlock wait until the thread's writes are performed. An atomic operation is a write whose
// thread waits for what it has read; it is no fence.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "models/service/protocol.hpp"
#include "protocols/gam/channels/output.hpp"
#include "protocols/gam/rules/request.hpp"
#include "protocols/gam/rules/shared.hpp"
#include "sim/kernel/task.hpp"

namespace racksim::gam {

/// The worker, to which sessions hand their requests.
class SessionsHost {
 public:
  virtual void submit(const Request& request) = 0;

 protected:
  ~SessionsHost() = default;
};

class Sessions {
 public:
  struct HeldLock {
    unsigned thread = 0;
    sim::Key line;
    models::LockMode mode{};
    bool is_told = false;  ///< that it dies with its thread
  };

  Sessions(Shared& shared, Output& output, unsigned threads, SessionsHost& host);

  // What application threads do.
  sim::Task<sim::Value> read(unsigned thread, sim::Key object, sim::OperationId operation);
  sim::Task<void> write(unsigned thread, sim::Key object, sim::Value value, sim::OperationId operation);
  /// A compare-and-swap or fetch-and-add.
  sim::Task<sim::Value> update(unsigned thread, Request request);
  sim::Task<void> fence(unsigned thread);
  sim::Task<bool> lock(unsigned thread, sim::Key line, sim::OperationKind kind, sim::OperationId operation);
  sim::Task<void> unlock(unsigned thread, sim::Key line, sim::OperationId operation);
  /// How a thread holds the lock of a line, if it does.
  std::optional<models::LockMode> lock_of(unsigned thread, sim::Key line) const;

  // What the worker asks.
  /// Whether a request may go to its line now.
  bool admit(Request& request);
  /// One is over: returns the next that it has held back; null if there is none.
  Request* finished(Request& request);

  /// The locks that threads hold; each is told once.
  std::vector<HeldLock> left_behind();

  void crash();
  void add_leaks(std::vector<models::Leak>& leaks) const;

 private:
  struct Session {
    explicit Session(sim::Calendar& calendar) : performed(calendar) {}
    std::size_t unperformed = 0;  // writes
    sim::Signal performed;        // one of them is
    std::deque<Request*> buffer;  // tso: writes in their order; the first is on its way
  };
  sim::Calendar& calendar() const { return shared_.rack.calendar(); }
  const Options& options() const { return shared_.options; }

  Shared& shared_;
  Output& output_;
  SessionsHost& host_;
  std::vector<std::unique_ptr<Session>> sessions_;  // by thread
  std::vector<HeldLock> held_;
};

}  // namespace racksim::gam
