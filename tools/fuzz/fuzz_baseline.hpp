// What a fuzz template is known to exercise. A race point that its campaigns used to reach and reach no more says that
// fuzzing has gone blind there: a parameter is varied otherwise, a timeout has moved, the code that marked it is gone.
//
// The baseline of DIR/NAME.json is DIR/baselines/NAME.json. It names the race points that a campaign of `runs` runs
// reaches whatever its seed, and how long that campaign is, so that a comparison takes seconds:
//
//   {"runs": 400, "race_points": ["switch: a request sent again finds the lock taken by itself (SCOREBOARD)", ...]}
//
// Pairs of a state and a message are left out: there are hundreds, and which of the rare ones are met changes with
// every change to the protocol.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/fuzz/fuzz.hpp"

namespace racksim::tools {

struct FuzzBaseline {
  std::uint64_t runs = 0;
  std::vector<std::string> race_points;  ///< in the order of the protocol's map
  bool operator==(const FuzzBaseline&) const = default;
};

/// The campaigns of which a baseline is made, and the runs of each that must reach a race point for it to be stored:
/// one that eight of a campaign's runs reach is missed by another campaign once in 3,000 times.
inline constexpr std::uint64_t kBlessedCampaigns = 3, kBlessedReaches = 8;
/// The runs of a campaign whose baseline is made for the first time.
inline constexpr std::uint64_t kBaselineRuns = 400;

/// The stored baseline of a template, or nothing if there is none. Throws InputError if it cannot be read.
std::optional<FuzzBaseline> load_fuzz_baseline(const std::string& file);
JsonValue fuzz_baseline_json(const FuzzBaseline& baseline);
/// The JSON Schema of a template's baseline.
JsonValue fuzz_baseline_schema();

/// What campaigns of `runs` runs, one a seed, have in common: the race points that each has reached often enough.
FuzzBaseline common_baseline(std::uint64_t runs, const std::vector<FuzzResult>& campaigns);

/// The race points of a baseline that a campaign has not reached, and those that the protocol does not declare any
/// more.
std::vector<std::string> lost_race_points(const FuzzBaseline& baseline, const FuzzResult& campaign);

}  // namespace racksim::tools
