// Histories for the tests of checkers: written down by hand, or random; and the obvious judge that tries all orders.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/checkers/operation.hpp"
#include "sim/checkers/outcome.hpp"
#include "sim/checkers/specification.hpp"
#include "sim/kernel/sanitizer.hpp"
#include "sim/random/random.hpp"

namespace racksim::sim::checkers {

inline constexpr std::uint64_t kOpen = Operation::kPending;

/// So many random histories; fewer where assertions or sanitizers make the tests slow.
constexpr int some(int histories) {
#ifdef NDEBUG
  return kUnderAddressSanitizer ? histories / 25 : histories;
#else
  return histories / 25;
#endif
}

/// A history by hand. Instants are small integers, no two alike; they are positions, and nanoseconds too.
class History {
 public:
  History& write(std::uint32_t session, std::uint64_t key, std::uint64_t value, std::uint64_t from, std::uint64_t to) {
    return add(session, Action::write, key, value, 0, from, to);
  }
  History& read(std::uint32_t session, std::uint64_t key, std::uint64_t value, std::uint64_t from, std::uint64_t to) {
    return add(session, Action::read, key, 0, value, from, to);
  }
  History& lock(std::uint32_t session, std::uint64_t from, std::uint64_t to) {
    return add(session, Action::lock, 0, 0, 0, from, to);
  }
  History& lock_shared(std::uint32_t session, std::uint64_t from, std::uint64_t to) {
    return add(session, Action::lock_shared, 0, 0, 0, from, to);
  }
  History& unlock(std::uint32_t session, std::uint64_t from, std::uint64_t to) {
    return add(session, Action::unlock, 0, 0, 0, from, to);
  }
  History& compare_and_swap(std::uint32_t session, std::uint64_t expected, std::uint64_t desired, std::uint64_t before,
                            std::uint64_t from, std::uint64_t to) {
    add(session, Action::compare_and_swap, 0, desired, before, from, to);
    for (auto& operation : operations_) {
      if (operation.invoked == from) operation.expected = expected;
    }
    return *this;
  }
  History& fetch_and_add(std::uint32_t session, std::uint64_t addend, std::uint64_t before, std::uint64_t from,
                         std::uint64_t to) {
    return add(session, Action::fetch_and_add, 0, addend, before, from, to);
  }
  History& add(std::uint32_t session, Action action, std::uint64_t key, std::uint64_t argument, std::uint64_t result,
               std::uint64_t from, std::uint64_t to);

  operator Operations() const { return operations_; }
  const std::vector<Operation>& operations() const { return operations_; }

 private:
  std::vector<Operation> operations_;
  std::uint64_t last_id_ = 0;
};

/// A program of one session, its operations one after the other.
struct Instruction {
  Action action;
  std::uint64_t key = 0;
  std::uint64_t value = 0;  // written or read
};
using Program = std::vector<Instruction>;

/// The history of some programs. Only program order is meant: the instants put one session after the other.
History history_of(const std::vector<Program>& programs);

/// What random histories look like.
struct Shape {
  std::size_t operations = 5;
  std::size_t sessions = 3;
  std::uint64_t keys = 1;
  std::vector<Action> actions{Action::read, Action::write};
  bool unique_values = true;
  double lie = 0.3;    ///< an operation returns what it likes
  double crash = 0.1;  ///< an operation never returns; its session starts again
};

/// A random history of registers. Each operation acts at a random instant on a register, and returns what it should or,
/// with probability `lie`, what it should not. Values are 1, 2, ... in the order of invocation if unique, else 1 to 3.
std::vector<Operation> random_history(RandomStream& random, const Shape& shape);

/// Random programs as random_history makes them, but on a lock. Sessions mostly release what they were granted.
std::vector<Operation> random_lock_history(RandomStream& random, std::size_t operations, std::size_t sessions,
                                           double crash);

/// Tries all orders of all operations, one after the other: each that returned must be taken, after all that `before`
/// puts before it; one that is pending may be taken. `act` lets an operation act on the state, if it can.
template <class State, class Before, class Act>
bool some_order_explains(Operations operations, const State& state, const Before& before, const Act& act,
                         unsigned taken = 0) {
  bool complete = true;
  for (std::size_t i = 0; i < operations.size(); ++i)
    complete = complete && ((taken >> i & 1) != 0 || operations[i].pending());
  if (complete) return true;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if ((taken >> i & 1) != 0) continue;
    bool allowed = true;
    for (std::size_t j = 0; j < operations.size(); ++j) {
      const bool left = (taken >> j & 1) == 0 && !operations[j].pending();
      if (j != i && left && before(operations[j], operations[i])) allowed = false;
    }
    State after = state;
    if (allowed && act(after, operations[i]) && some_order_explains(operations, after, before, act, taken | 1U << i))
      return true;
  }
  return false;
}

inline bool in_real_time(const Operation& a, const Operation& b) {
  return a.precedes(b);
}
inline bool in_program_order(const Operation& a, const Operation& b) {
  return a.session == b.session && a.invoked < b.invoked;
}

/// How often each verdict was reached: agreement means little if one of them is rare.
struct Tally {
  int pass = 0, fail = 0;
  void count(bool passes) { ++(passes ? pass : fail); }
  bool is_balanced() const { return pass > (pass + fail) / 20 && fail > (pass + fail) / 20; }
};

}  // namespace racksim::sim::checkers
