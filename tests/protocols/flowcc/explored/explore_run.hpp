// FlowCC's model with little in it, and what an exploration finds in it.
#pragma once

#include <functional>
#include <string>

#include "protocols/flowcc/explored/explore_options.hpp"
#include "sim/exploration/search.hpp"

namespace racksim::flowcc::testing {

using Change = std::function<void(ExploreOptions&)>;

/// One event of each requester, one migration in and one out, and nothing goes wrong, but for what the change says.
inline ExploreOptions options_of(const Change& change) {
  ExploreOptions options;
  options.losses = options.duplicates = 0;
  change(options);
  return options;
}
inline sim::Exploration explored(const Change& change) {
  return sim::explore(*options_of(change).build().front().model);
}
/// What is wrong; "clean" if nothing is.
inline std::string verdict(const sim::Exploration& found) {
  return found.violation ? found.violation->what : found.cut_short.empty() ? "clean" : found.cut_short;
}

inline const Change kNothing = [](ExploreOptions&) {};
inline constexpr auto kPatient = [](ExploreOptions& o) { o.timeouts = 1; };

}  // namespace racksim::flowcc::testing
