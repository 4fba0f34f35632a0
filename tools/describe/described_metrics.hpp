// Metrics of the shipped scenarios' runs, by the names that `expect` takes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/describe/description.hpp"

namespace racksim::tools {

/// Those whose names are wanted. Builds the rack of every shipped scenario and runs nothing. Adds every name that there
/// is to `known`.
std::vector<Description> describe_metrics(const std::function<bool(const std::string& name)>& wanted,
                                          const Catalogue& catalogue, std::vector<std::string>& known);

}  // namespace racksim::tools
