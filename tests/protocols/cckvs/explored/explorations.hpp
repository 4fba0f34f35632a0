// Explorations of ccKVS with a few options changed, and their verdicts in one line.
#pragma once

#include <functional>
#include <string>

#include "protocols/cckvs/explored/explore_options.hpp"
#include "sim/exploration/search.hpp"

namespace racksim::cckvs::testing {

using Change = std::function<void(ExploreOptions&)>;

inline ExploreOptions options_of(Consistency consistency, const Change& change) {
  ExploreOptions options(consistency);
  options.keys = 1;
  change(options);
  return options;
}
inline sim::Exploration explored(const ExploreOptions& options) {
  return sim::explore(*options.build().front().model);
}
inline sim::Exploration lin(const Change& change) {
  return explored(options_of(Consistency::lin, change));
}
inline sim::Exploration sc(const Change& change) {
  return explored(options_of(Consistency::sc, change));
}

/// "4: not linearizable: ...", the number of steps and what is wrong; "clean" if nothing is.
inline std::string verdict(const sim::Exploration& found) {
  if (!found.cut_short.empty()) return found.cut_short;
  if (!found.violation) return "clean";
  return std::to_string(found.violation->trace.size()) + ": " + found.violation->what;
}

}  // namespace racksim::cckvs::testing
