// The scenarios that lie in the folder of scenarios.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/scenario/scenario.hpp"

namespace racksim::tools {

/// A string member of a file, or nothing: a listing shows what is there, and `validate` finds what is wrong with it.
std::string member_of_file(const std::string& file, const char* key);

/// All of them with their names, as `run` takes them, each case of a suite by itself; the folders of other kinds of files
/// are left out.
std::vector<NamedEntry> shipped_scenarios();

/// Visits each, loaded, but those in which something is wrong. What the visit throws of a scenario's options that do not
/// fit (InputError) skips the scenario, too.
void for_each_shipped(const Catalogue& catalogue, const std::function<void(const Scenario&)>& visit);

}  // namespace racksim::tools
