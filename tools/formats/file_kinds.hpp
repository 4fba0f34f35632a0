// A JSON file of any kind, checked as what it is.
#pragma once

#include <string>
#include <vector>

#include "tools/scenario/catalogue.hpp"

namespace racksim::tools {

/// Reads a file, or FILE/CASE, as what it holds, as a run would; of a suite all its cases. `overrides` are for scenarios.
/// Gives its kind in words: "scenario", "suite of 3 cases", "figure", ... Throws InputError.
std::string check_file(const std::string& file, const std::vector<std::string>& overrides, const Catalogue& catalogue);

}  // namespace racksim::tools
