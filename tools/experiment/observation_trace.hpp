// Two traces side by side: the first observation in which they differ.
//
// The order of observations matters within a source and not between sources (sim/record/event_log.hpp), so sources are
// compared one by one, and the difference that comes first in time is the answer. Permissions, which only oracles see,
// are left out.
#pragma once

#include <array>
#include <cstdint>
#include <istream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/json/json_document.hpp"

namespace racksim::tools {

/// One line of a trace.
struct TracedObservation {
  std::int64_t at_ps = 0;
  std::string source, what;
  std::uint64_t operation = 0;
  std::array<std::uint64_t, 3> detail{};
  std::size_t line = 0;  ///< of the trace, from 1: the order of recording
  /// In words: n3.t1 #43, or the number alone where the trace does not show that a session began it or one before it.
  std::string operation_name = {};

  /// Whether both say the same, wherever they stand.
  bool same_as(const TracedObservation& other) const;
  /// What it says beside its time, in words: "message_sent  packet node3#99, 99 bytes, n3.t1 #42".
  std::string text() const;
};

/// A trace's observations by source, each in the order of recording.
using ObservationsBySource = std::map<std::string, std::vector<TracedObservation>>;

/// Reads the JSON lines that sim::JsonLinesTrace writes; `name` stands for the file in errors. Throws InputError.
ObservationsBySource read_trace(std::istream& in, const std::string& name);

/// Where two traces part.
struct FirstDifference {
  std::string source;
  std::vector<TracedObservation> before;  ///< the last that both have, of this source
  std::vector<TracedObservation> a, b;    ///< from the first that differs on; empty where a side records no more
  std::int64_t at_ps() const;             ///< the earlier of both sides' instants
};

/// The earliest difference, with up to `context` observations before it and after it; nothing if there is none.
std::optional<FirstDifference> first_difference(const ObservationsBySource& a, const ObservationsBySource& b,
                                                std::size_t context);

}  // namespace racksim::tools
