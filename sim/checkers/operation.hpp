// What checkers judge: the operations that clients saw, each with its beginning, its end and its results.
//
// A history is a list of operations in the order of their invocation. Instants are positions in one total order of
// events (the order in which they were recorded), because two events of one picosecond have an order too; the times are
// for people. An operation that never returned is pending: it may have taken effect at any instant after its
// invocation, or never. The operations that one session invokes follow each other in program order; a pending one
// comes after those invoked before it, but nothing comes after it: its session may have crashed and started again
// while a message of it was still under way.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "sim/kernel/time.hpp"
#include "sim/record/ids.hpp"

namespace racksim::sim::checkers {

/// What a client asked for.
enum class Action : std::uint8_t {
  read,              ///< result: the value read
  write,             ///< argument: the value written
  compare_and_swap,  ///< writes argument if the value is `expected`; result: the value before
  fetch_and_add,     ///< adds argument, modulo 2^64; result: the value before
  lock,              ///< exclusive
  lock_shared,
  unlock,  ///< gives back what the session holds, in either mode
  fence,   ///< all earlier writes of the session have reached memory; key is ignored
};

/// One operation of one session.
struct Operation {
  static constexpr std::uint64_t kPending = ~std::uint64_t{0};

  std::uint64_t id = 0;  ///< unique in the history, for messages
  std::uint32_t session = 0;
  Action action{};
  Key key = 0;
  std::uint64_t argument = 0;
  std::uint64_t expected = 0;          ///< compare_and_swap alone
  std::uint64_t result = 0;            ///< meaningless while pending
  std::uint64_t invoked = 0;           ///< position among all events, from 1, no two alike
  std::uint64_t responded = kPending;  ///< likewise, greater than `invoked`
  Time invoked_at;
  Time responded_at;  ///< meaningless while pending

  bool pending() const { return responded == kPending; }
  /// Whether this operation had returned before the other began.
  bool precedes(const Operation& other) const { return responded < other.invoked; }
};

/// A history, in the order of invocation.
using Operations = std::span<const Operation>;

/// std::invalid_argument unless the positions are as Operation says and the operations in the order of invocation.
void require_history(Operations operations);

/// Tells the name of a session.
using SessionNames = std::function<std::string(std::uint32_t)>;

/// "read of key 6 by operation 3 of session 1, which returned 10 (5.000 ns to 6.000 ns)".
std::string described(const Operation& operation, const SessionNames& names);

}  // namespace racksim::sim::checkers
