// How often each point of a figure is run, every time with another seed, so that its claims hang on none:
//
//   "seeds": 5                    with the scenario's "seed" from 1 to 5; or [1, 7, 42], with these
//   "placements": [1, 2, 3]       with these of `workload.placement_seed`: other places of the keys
//
// `--quick` takes the first alone, and `--seeds N` those from 1 to N of what the figure varies, or of seeds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/json/input_error.hpp"
#include "tools/json/json_document.hpp"

namespace racksim::tools {

struct Repeats {
  std::string word;                   ///< "seed" or "placement"; empty where each point is run once, as it stands
  std::string path;                   ///< of the option that differs
  std::vector<std::uint64_t> values;  ///< that it takes

  std::size_t count() const { return values.empty() ? 1 : values.size(); }
  /// "5 seeds", "1 placement"; empty if there are none.
  std::string text() const;
};

/// So many that a figure may ask for, or the command.
inline constexpr std::uint64_t kMostSeeds = 1000;

/// Reads what a figure's document says of them. `instead`, if it is not 0, is how many there are instead. Throws
/// InputError.
Repeats read_repeats(const JsonValue& document, const JsonLocation& root, bool quick, std::uint64_t instead);

}  // namespace racksim::tools
