// What is under way about a line at one node of SELCC.
#pragma once

#include <cstdint>
#include <vector>

#include "protocols/latched_memory/latch_word.hpp"
#include "protocols/line_cache/line_works.hpp"
#include "protocols/selcc/frame.hpp"
#include "protocols/selcc/messages.hpp"

namespace racksim::selcc {

using latched_memory::LatchWord;
using models::NodeId;

/// An invalidation that this node has sent.
struct Ask {
  NodeId whom = 0;
  std::uint64_t number = 0;
  bool answered = false;
};

/// What of it is plain numbers.
struct LineProgress {
  // The acquisition.
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

struct LineWork : LineProgress, line_cache::LineWork<Frame, Invalidation> {  // of which one a sender is deferred
  using line_cache::LineWork<Frame, Invalidation>::LineWork;

  std::vector<Ask> asks{};  ///< in the present round

  void begin_acquisition(unsigned by, sim::OperationId cause, bool tries = false) {
    line_cache::LineWork<Frame, Invalidation>::begin_acquisition(by, cause, tries);
    attempts = upgrades = 0;
    has_asked = false;
    asked_at = {};
  }
  void begin_anew(Frame& of) {
    line_cache::LineWork<Frame, Invalidation>::begin_anew(of);
    static_cast<LineProgress&>(*this) = {};
    asks.clear();
  }
};

}  // namespace racksim::selcc
