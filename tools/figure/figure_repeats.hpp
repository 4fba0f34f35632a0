// How often each point of a figure is run, every time with another seed or with the keys in other places, so that its
// claims hang on none:
//
//   "seeds": 5                    with the scenario's "seed" from 1 to 5; or [1, 7, 42], with these
//   "placements": [1, 2, 3]       with these of `workload.placement_seed`: other places of the keys
//
// With both, each seed runs with each placement, the seeds outermost. `--quick` takes the first of each alone, and
// `--seeds N` the seeds from 1 to N, beside the placements.
//
// What intervals and verdicts rest on, a sample, is a seed, whose values are the means over its placements; where there
// are not several seeds it is a placement.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/json/input_error.hpp"
#include "tools/json/json_document.hpp"

namespace racksim::tools {

struct Repeats {
  std::vector<std::uint64_t> seeds;       ///< that each point is run with; empty: the scenario's own
  std::vector<std::uint64_t> placements;  ///< of the keys, with each of the seeds; empty: the scenario's own

  /// Of each point; by seed, then by placement.
  std::size_t runs() const;
  /// The samples: independent values that a point has of each metric.
  std::size_t count() const;
  std::size_t sample_of(std::size_t run) const { return run * count() / runs(); }

  /// What a run has beside its sweep and series, in this order: "seed" and "placement", where the figure varies them.
  struct Setting {
    const char* word;
    const char* path;  ///< of the option
    std::uint64_t value;
  };
  std::vector<Setting> of_run(std::size_t run) const;

  /// "5 seeds", "1 placement", "5 seeds with 3 placements each"; empty if there are none.
  std::string text() const;
  /// What a sample is: "seed" or "placement".
  const char* sample_word() const;
  /// How many there are of them: "5 seeds".
  std::string samples_text() const;

  bool operator==(const Repeats&) const = default;
};

/// So many seeds a figure may ask for, or the command.
inline constexpr std::uint64_t kMostSeeds = 1000;

/// Reads what a figure's document says of them. `instead`, if it is not 0, is how many seeds there are instead. Throws
/// InputError.
Repeats read_repeats(const JsonValue& document, const JsonLocation& root, bool quick, std::uint64_t instead);

/// {"seeds": [1, 2], "placements": [3]}, each where it is there: as records keep them.
JsonValue repeats_json(const Repeats& repeats);
/// Reads that. Throws InputError.
Repeats read_repeats_json(const JsonValue& value, const JsonLocation& place);
/// Their JSON Schemas: of a list of seeds or placements, and of the object.
JsonValue seed_list_schema(const char* description = nullptr);
JsonValue repeats_schema();

}  // namespace racksim::tools
