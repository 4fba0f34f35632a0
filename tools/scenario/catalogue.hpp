// What this build offers under names: protocols, workloads, faults, switch programs and oracles.
//
// The scenario reader knows none of them by itself; it finds their options through the declarations here.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/options/parameters.hpp"

namespace racksim::tools {

/// A component whose options a scenario may give.
struct OptionsEntry {
  std::string name;
  std::string doc;  ///< one sentence, shown by `racksim list`
  /// Makes an options object with default values and declares its parameters, which point into it.
  std::function<std::shared_ptr<void>(sim::Parameters&)> make;
};

/// A component that only has a name.
struct NamedEntry {
  std::string name;
  std::string doc;
};

/// An oracle. One that others imply is only asked for by its name, not by "all".
struct OracleEntry : NamedEntry {
  bool implied = false;
};

struct Catalogue {
  OptionsEntry rack;  ///< the hardware's constants; testbed files give their values
  std::vector<OptionsEntry> protocols;
  std::vector<OptionsEntry> workloads;
  std::vector<OptionsEntry> faults;
  std::vector<NamedEntry> programs;
  std::vector<OracleEntry> oracles;
};

/// The entry of that name, or null.
const OptionsEntry* find_entry(const std::vector<OptionsEntry>& entries, const std::string& name);
/// The names of the entries, in their order.
std::vector<std::string> names_of(const std::vector<OptionsEntry>& entries);
std::vector<std::string> names_of(const std::vector<NamedEntry>& entries);
std::vector<std::string> names_of(const std::vector<OracleEntry>& entries);

/// Everything that is linked into this program.
Catalogue built_in_catalogue();

}  // namespace racksim::tools
