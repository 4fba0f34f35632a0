// What a scenario wants `racksim test` to compare with the values stored from an earlier run: `expect.baseline`.
//
//   "baseline": "exact"                                          the run hash, bit for bit
//   "baseline": {"throughput_mops": "2%", "packets.lost": 10}    each metric within per cent or units of its own
//   "baseline": "none"                                           nothing
//
// A scenario that says nothing is compared by throughput and mean latency; one that is expected to fail by nothing,
// because where a broken protocol stops says little.
#pragma once

#include <string>
#include <vector>

#include "tools/json/input_error.hpp"
#include "tools/json/json_document.hpp"

namespace racksim::tools {

/// How far a metric may be from its stored value.
struct Tolerance {
  std::string metric;  ///< its dotted name in the report
  double allowed = 0;  ///< per cent of the stored value, or units of the metric; at least 0
  bool per_cent = true;

  /// Whether `now` is near enough to `stored`. Of a stored 0 every per cent is 0.
  bool met(double stored, double now) const;
  /// "2%" or "10".
  std::string text() const;
};

struct ExpectedBaseline {
  enum class Comparison { usual, none, exact, metrics };
  Comparison comparison = Comparison::usual;
  std::vector<Tolerance> tolerances;  ///< for Comparison::metrics
};

/// What Comparison::usual stands for in a scenario that is expected to pass.
std::vector<Tolerance> usual_tolerances();

/// Reads `expect.baseline`. Whether a metric exists shows when the rack stands. Throws InputError.
ExpectedBaseline read_expected_baseline(const JsonValue& value, const JsonLocation& place);
/// The other way round; null for Comparison::usual, which is written as nothing.
JsonValue write_expected_baseline(const ExpectedBaseline& baseline);
/// The JSON Schema of what is read.
JsonValue expected_baseline_schema();

}  // namespace racksim::tools
