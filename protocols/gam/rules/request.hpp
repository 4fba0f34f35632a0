// A request of an application thread to its node's worker (GAM §4), and how the thread hears of its end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/kernel/waiting.hpp"
#include "sim/record/history.hpp"

namespace racksim::gam {

/// Where a thread waits for its request.
struct Answer {
  explicit Answer(sim::Calendar& calendar) : over(calendar) {}
  sim::Signal over;
  sim::Value value = 0;  ///< that was read
  bool granted = false;  ///< of a lock
};

struct Request {
  sim::Key line;
  sim::OperationKind kind{};
  std::uint16_t object = 0;  ///< in the line
  std::uint16_t thread = 0;
  sim::OperationId operation = 0;
  sim::Value value = 0;      ///< to be written, or added
  sim::Value expected = 0;   ///< of a compare-and-swap
  Answer* answer = nullptr;  ///< null: nobody waits
  bool is_told = false;      ///< that it dies with its thread

  bool is_lock() const { return sim::requests_lock(kind); }
  /// Whether it needs the line for itself: to write, or for the exclusive lock.
  bool is_exclusive() const { return is_lock() ? !sim::is_shared(kind) : kind != sim::OperationKind::read; }
  bool tries() const { return kind == sim::OperationKind::try_lock || kind == sim::OperationKind::try_lock_shared; }
};

/// The requests of a node that are not over. They stay where they are.
class Requests {
 public:
  Request& add(const Request& request) {
    ++open_;
    if (spare_.empty()) {
      all_.push_back(request);
      return all_.back();
    }
    Request& place = *spare_.back();
    spare_.pop_back();
    place = request;
    return place;
  }
  void remove(Request& request) {
    --open_;
    spare_.push_back(&request);
  }
  std::size_t open() const { return open_; }
  /// Calls `visit(request)` for each that is not over, in no order of theirs.
  template <class Visit>
  void for_each(Visit&& visit) {
    for (Request& request : all_) {
      if (std::find(spare_.begin(), spare_.end(), &request) == spare_.end()) visit(request);
    }
  }
  void clear() {
    all_.clear();
    spare_.clear();
    open_ = 0;
  }

 private:
  std::deque<Request> all_;
  std::vector<Request*> spare_;
  std::size_t open_ = 0;
};

/// Carries out a read, a write or an atomic operation on data that have `value(object)` and `set(object, value)`.
/// Returns the value before; `wrote` tells whether there is a new one.
template <class Data>
sim::Value apply(const Request& request, Data& data, bool& wrote) {
  const sim::Value before = data.value(request.object);
  wrote = request.kind != sim::OperationKind::read &&
          (request.kind != sim::OperationKind::compare_and_swap || before == request.expected);
  if (!wrote) return before;
  const bool adds = request.kind == sim::OperationKind::fetch_and_add;
  data.set(request.object, adds ? sim::Value(before.number() + request.value.number()) : request.value);
  return before;
}

}  // namespace racksim::gam
