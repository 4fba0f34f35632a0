// What is under way about a line at one node: its acquisition by a thread, whom it waits for, which invalidations it
// has deferred, and who waits for the local latch. Exists only as long as there is something.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "protocols/latched_memory/latch_word.hpp"
#include "protocols/line_cache/local_latch.hpp"
#include "protocols/selcc/frame.hpp"
#include "protocols/selcc/messages.hpp"
#include "sim/kernel/waiting.hpp"

namespace racksim::selcc {

using latched_memory::LatchWord;
using models::NodeId;

using line_cache::LatchWaiter;

/// An invalidation that this node has sent.
struct Ask {
  NodeId whom = 0;
  std::uint64_t number = 0;
  bool answered = false;
};

/// What of it is plain numbers.
struct LineProgress {
  Frame* frame = nullptr;

  // The acquisition: by the thread that has the local latch exclusively.
  unsigned thread = 0;
  sim::OperationId operation = 0;
  std::uint32_t attempts = 0;  ///< latch operations so far
  std::uint32_t upgrades = 0;  ///< of which failed upgrades
  bool has_asked = false;
  std::uint64_t word = 0;  ///< that the latest one has found
  ObjectRange fetched_dirty{};
  bool turned_away = false;  ///< one of those asked was busy
  sim::Time asked_at{};
  sim::EventId timer{};

  NodeId giver = 0;                ///< who gave the line
  std::uint64_t confirmation = 0;  ///< the number of the request by which the line came
  std::uint64_t confirmed = 0;     ///< the one that was confirmed last
  unsigned giving = 0;             ///< completions that a line being given still waits for

  // The counters of §5.3.1, while others ask for the line in vain.
  bool urged = false;
  std::uint64_t reads = 0, writes = 0;
};

struct LineWork : LineProgress {
  explicit LineWork(sim::Calendar& calendar) : acquired(calendar) {}

  LineData fetched;                      ///< what came from memory or another node
  std::vector<Ask> asks{};               ///< in the present round
  std::vector<Invalidation> deferred{};  ///< one a sender
  std::deque<LatchWaiter*> waiters{};
  sim::Signal acquired;

  void begin_acquisition(unsigned by, sim::OperationId cause) {
    thread = by;
    operation = cause;
    attempts = upgrades = 0;
    has_asked = false;
    asked_at = {};
  }
  /// For a line of which nothing is under way. Nobody waits any more.
  void begin_anew(Frame& of) {
    static_cast<LineProgress&>(*this) = {};
    frame = &of;
    fetched.clear();
    asks.clear();
    deferred.clear();
    waiters.clear();
  }
};

}  // namespace racksim::selcc
