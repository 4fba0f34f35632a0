// A paper's claim about a figure: what it expects of a reading, and the verdict on simulated values.
//
//   "paper": {"value": 133, "rounding": 0.5}                  every value read
//   "paper": {"min": 1.3, "max": 1.48, "rounding": 0.005}     either bound may be missing
//   "paper": {"shape": "flat", "tolerance": 0.1}              of one curve
//   "paper": {"shape": "monotone_decreasing", "to_value": 1, "within": 0.05}    and where it ends
//   "paper": {"order": ["A", ">", "B", "~", "C"], "tolerance": 0.05}   at every x; A, B, C are readings
//   "paper": {"crosses": 1, "between": [0, 0.2], "direction": "falling"}   the curve passes a level, once, between two x
//
// `rounding` is the half unit of the last digit that the paper prints. `tolerance` is a share: how far a flat curve may
// spread below its largest value, how far apart two values may be that count as equal: "~" then holds of them, and ">" or
// a crossing that rests on them is unclear. `within` is how far from `to_value` the last point may lie. All belong to the
// claim and default to 0.
//
// A claim with a word such as "about" has beside it the share that the word is read as: "words": {"about": 0.1}
// (claim_words.hpp). A wider rounding or tolerance is refused, and one that is missing is that share:
//
//   "about", "almost", "nearly"    of a "value" that much to both sides; of "~" the tolerance; of a "min" below 1 that
//                                  much below 1
//   "up to"                        of a "max", or a "value" without rounding: the largest value read reaches that much
//                                  less
//   "slightly"                     of ">": no more than that much; of a shape: its ends lie no further apart
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/figure/claim_words.hpp"
#include "tools/figure/figure_reading.hpp"

namespace racksim::tools {

struct Expectation {
  enum class Predicate : std::uint8_t { bounds, shape, order, crossing };
  enum class Shape : std::uint8_t {
    monotone_increasing,
    monotone_decreasing,
    non_increasing,
    non_decreasing,
    flat,
    rise_then_fall,
    fall_then_rise
  };
  enum class Relation : std::uint8_t { above, at_least, about };

  Predicate predicate = Predicate::bounds;
  std::optional<double> min, max;  ///< rounding not included
  std::optional<double> reach;     ///< of "up to": what the largest value comes to at least
  double rounding = 0, tolerance = 0;
  Shape shape = Shape::flat;
  std::optional<double> to_value;  ///< where a shape ends,
  double within = 0;               ///< give or take this share of it
  std::optional<double> slightly;  ///< the share that an order or a shape may come to at most
  std::vector<Reading> operands;   ///< of an order
  std::vector<Relation> relations;
  double level = 0, before = 0, after = 0;  ///< of a crossing
  bool falling = false;                     ///< its direction

  std::vector<WordShare> words;  ///< that the claim is read by
  std::string text;              ///< for the table
};

struct Claim {
  std::string id;
  std::string text;
  Expectation paper;
  std::vector<Reading> readings;  ///< the claim must hold of each; empty for an order

  /// True if the claim is about a direction and not about a number.
  bool directional() const { return paper.predicate != Expectation::Predicate::bounds; }
};

struct Verdict {
  bool met = false;
  std::string unclear;  ///< why the claim neither is met nor fails; empty if it is one of the two
  /// Of a claim about numbers that is not met: distance to the nearest admissible value, as a share of that value;
  /// infinite for a division by zero, none if a point has no value.
  std::optional<double> off;
  std::string simulated;                 ///< the values read, for the table
  std::vector<std::string> of_readings;  ///< the same, reading by reading; empty for an order

  /// "met", "not met", "off by 12 %", "off: infinite", "off: no value" or "unclear: REASON".
  std::string text(const Claim& claim) const;
};

/// What is told of each of a claim's readings, in one line, under their names where there are several.
std::string with_names(const Claim& claim, const FigureAxes& axes, const std::vector<std::string>& texts);

/// What "shape" and the places between the readings of "order" may say.
std::vector<std::string> shape_names();
std::vector<std::string> relation_names();
std::vector<std::string> direction_names();

/// Reads one claim: `id`, `text`, `paper`, `read`. Throws InputError.
Claim read_claim(const JsonValue& value, const JsonLocation& place, const FigureAxes& axes);

/// The verdict on the values of one run. Unclear where nothing was read, or the claim holds of nothing
/// (empty_claim.hpp).
Verdict judge(const Claim& claim, const FigureAxes& axes, const FigureValues& values);

/// A number with three significant digits more or less: for tables.
std::string short_number(double value);

}  // namespace racksim::tools
