// What tests of templates share: where the shipped ones lie, and campaigns of a few runs.
#pragma once

#include <cstdint>
#include <string>

#include "tests/places.hpp"
#include "tools/fuzz/fuzz.hpp"

namespace racksim::tools::testing {

/// The path of a shipped template, "sel.json".
inline std::string template_file(const std::string& name) {
  return places::source_folder() + "/scenarios/fuzz/" + name;
}

/// So many runs, two at a time.
inline FuzzPlan plan_of(std::uint64_t runs) {
  FuzzPlan plan;
  plan.runs = runs;
  plan.limits.jobs = 2;
  return plan;
}

}  // namespace racksim::tools::testing
