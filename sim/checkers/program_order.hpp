// The sessions of a history as programs: for the searches over interleavings, and for sessions that do not wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/checkers/operation.hpp"

namespace racksim::sim::checkers {

/// Operations are meant by their index in the history.
struct Programs {
  /// An operation that never returned: if it takes effect, then after the first `after` operations of its session.
  struct Pending {
    std::size_t operation;
    std::size_t session;
    std::size_t after;
  };

  std::vector<std::vector<std::size_t>> sessions;  ///< what returned, in program order; sessions by their number
  std::vector<Pending> pending;
};

Programs programs_of(Operations operations);

/// A history in which every session does one operation at a time.
struct OneAtATime {
  std::vector<Operation> operations;      ///< the same, of other sessions
  std::vector<std::uint32_t> session_of;  ///< by the new session: the old one
};

/// Splits each session that has several operations under way at once into as many as that takes, since operations have
/// no program order while they overlap. One that goes on after a pending operation does not overlap with it
/// (operation.hpp). Operations that follow each other keep their order if they end up in one session, so what is judged
/// of the result holds for every program that may have been behind the history.
OneAtATime one_at_a_time(Operations operations);

}  // namespace racksim::sim::checkers
