// A request of an application thread to its node's worker (GAM §4), and how the thread hears of its end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "sim/kernel/waiting.hpp"
#include "sim/record/history.hpp"

namespace racksim::gam {

/// Where a thread waits for its request.
struct Answer {
  explicit Answer(sim::Calendar& calendar, std::span<sim::Value> room = {}) : over(calendar), values(room) {}
  sim::Signal over;
  std::span<sim::Value> values;  ///< room for what a read reads
  sim::Value value = 0;          ///< that an atomic operation has read
  bool granted = false;          ///< of a lock
};

struct Request {
  sim::Key line;
  sim::OperationKind kind{};
  std::uint16_t object = 0;  ///< in the line: the first
  std::uint16_t objects = 1;
  std::uint16_t thread = 0;
  bool in_turn = false;     ///< waits in its session's buffer, whatever it is
  std::uint32_t bytes = 8;  ///< that are copied
  sim::OperationId operation = 0;
  sim::Value value = 0;      ///< to be written to the first, or added
  sim::Value expected = 0;   ///< of a compare-and-swap
  Answer* answer = nullptr;  ///< null: nobody waits
  bool is_told = false;      ///< that it dies with its thread

  bool is_lock() const { return sim::requests_lock(kind); }
  /// Whether it needs the line for itself: to write, or for the exclusive lock.
  bool is_exclusive() const { return is_lock() ? !sim::is_shared(kind) : kind != sim::OperationKind::read; }
  /// Whether this is the first object, or one behind it that it is about.
  bool is_about(sim::Key of, std::uint16_t index) const {
    return line == of && index >= object && index < object + objects;
  }
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
/// Returns the value before of an atomic operation; `wrote` tells whether there are new ones.
template <class Data>
sim::Value apply(const Request& request, Data& data, bool& wrote) {
  wrote = request.kind != sim::OperationKind::read;
  if (!sim::is_atomic(request.kind)) {
    for (std::uint16_t i = 0; i < request.objects; ++i) {
      const auto object = static_cast<std::uint16_t>(request.object + i);
      if (wrote) {
        data.set(object, sim::Value{request.value + i});
      } else {
        request.answer->values[i] = data.value(object);
      }
    }
    return 0;
  }
  const sim::Value before = data.value(request.object);
  const bool adds = request.kind == sim::OperationKind::fetch_and_add;
  wrote = adds || before == request.expected;
  if (wrote) data.set(request.object, adds ? sim::Value(before.number() + request.value.number()) : request.value);
  return before;
}

}  // namespace racksim::gam
