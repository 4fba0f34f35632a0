// The application threads of a node: which of their operations may be under way together (GAM §4), and the locks that
// they hold.
//
//   pso  reads wait, writes return at once and go to their lines, where those of one thread keep their order
//   tso  the same, but behind each write is a fence of writes: the next goes to its line when the one before it is
//        performed; reads go on, and see it
//   sc   behind each write is a fence, for which the thread waits
//
// A fence, a lock and an unlock wait until the thread's writes are performed. Each is a request to the worker, with its
// costs: in the published code MFence and SFence are handed over as locks are. An atomic operation is a write whose
// thread waits for what it has read; it is no fence.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "models/host/core_wait.hpp"
#include "models/service/memory_service.hpp"
#include "models/service/protocol.hpp"
#include "protocols/gam/channels/output.hpp"
#include "protocols/gam/node/allocation.hpp"
#include "protocols/gam/rules/request.hpp"
#include "protocols/gam/rules/shared.hpp"

namespace racksim::gam {

/// The worker, to which sessions hand their requests.
class SessionsHost {
 public:
  virtual void submit(const Request& request) = 0;

 protected:
  ~SessionsHost() = default;
};

struct HeldLock {
  std::uint16_t thread = 0;
  sim::Key line;
  models::LockMode mode{};
  bool is_told = false;  ///< that it dies with its thread
};

/// What the sessions of a node work with.
struct SessionParts {
  Shared& shared;
  Output& output;
  Allocation& allocation;
  SessionsHost& host;
};

/// An application thread, as the memory service asks it.
class Session final : public models::MemoryPort {
 public:
  Session(const SessionParts& parts, std::vector<HeldLock>& held, std::uint16_t thread);

  sim::Task<void> read(models::MemoryAccess access, std::span<sim::Value> values, sim::OperationId operation) override;
  sim::Task<void> write(models::MemoryAccess access, sim::Value value, sim::OperationId operation) override;
  sim::Task<sim::Value> compare_and_swap(sim::Key object, sim::Value expected, sim::Value desired,
                                         sim::OperationId operation) override;
  sim::Task<sim::Value> fetch_and_add(sim::Key object, std::uint64_t operand, sim::OperationId operation) override;
  sim::Task<void> fence(sim::OperationId operation) override;
  sim::Task<void> lock(sim::Key line, models::LockMode mode, sim::OperationId operation) override;
  sim::Task<bool> try_lock(sim::Key line, models::LockMode mode, sim::OperationId operation) override;
  sim::Task<void> unlock(sim::Key line, sim::OperationId operation) override;
  sim::Task<models::GlobalAddress> allocate(models::MemoryAllocator&, std::uint64_t bytes,
                                            const models::AllocationHint& hint, sim::OperationId operation) override {
    return parts_.allocation.allocate(thread_, bytes, hint, operation);
  }
  sim::Task<void> free(models::MemoryAllocator&, models::GlobalAddress address, sim::OperationId operation) override {
    return parts_.allocation.free(thread_, address, operation);
  }

  // What the worker asks.
  /// Whether a request may go to its line now.
  bool admit(Request& request);
  /// One is over: returns the next that it has held back; null if there is none.
  Request* finished(const Request& request);
  void crash();

 private:
  const Options& options() const { return parts_.shared.options; }
  models::Occupy hand_over() const;
  Request request(sim::OperationKind kind, sim::Key line, sim::OperationId operation, Answer* answer) const;
  Request request_for(sim::OperationKind kind, models::MemoryAccess access, sim::OperationId operation,
                      sim::Value value, Answer* answer = nullptr) const;
  sim::Task<sim::Value> update(Request request);
  sim::Task<bool> take(sim::Key line, sim::OperationKind kind, sim::OperationId operation);

  SessionParts parts_;
  std::vector<HeldLock>& held_;  // of all the node's threads
  std::uint16_t thread_;
  std::size_t unperformed_ = 0;  // writes
  sim::Signal performed_;        // one of them is
  std::deque<Request*> buffer_;  // tso: writes, fences, and reads behind them, in their order; the first is on its way
};

class Sessions {
 public:
  Sessions(const SessionParts& parts, unsigned threads);

  Session& of(unsigned thread) { return *sessions_[thread]; }
  /// How a thread holds the lock of a line, if it does.
  std::optional<models::LockMode> lock_of(unsigned thread, sim::Key line) const;
  /// The locks that threads hold; each is told once.
  std::vector<HeldLock> left_behind();

  void crash();
  void add_leaks(std::vector<models::Leak>& leaks) const;

 private:
  SessionParts parts_;
  std::vector<std::unique_ptr<Session>> sessions_;  // by thread
  std::vector<HeldLock> held_;
};

}  // namespace racksim::gam
