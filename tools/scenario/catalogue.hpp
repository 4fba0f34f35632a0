// What this build offers under names: protocols, workloads, faults, switch programs and oracles.
//
// The scenario reader knows none of them by itself; it finds their options through the declarations here.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/faults/fault.hpp"
#include "models/rack/rack_options.hpp"
#include "models/service/oracle_entry.hpp"
#include "models/service/protocol.hpp"
#include "models/workloads/workload.hpp"
#include "sim/options/parameters.hpp"

namespace racksim::tools {

/// A component whose options a scenario may give.
template <class Options>
struct OptionsEntry {
  std::string name;
  std::string doc;  ///< one sentence, shown by `racksim list`
  /// Makes an options object with default values and declares its parameters, which point into it.
  std::function<std::shared_ptr<Options>(sim::Parameters&)> make;
};

/// A component that only has a name.
struct NamedEntry {
  std::string name;
  std::string doc;
};

struct Catalogue {
  OptionsEntry<models::RackOptions> rack;  ///< the hardware's constants; testbed files give their values
  std::vector<OptionsEntry<models::ProtocolOptions>> protocols;
  std::vector<OptionsEntry<models::WorkloadOptions>> workloads;
  std::vector<OptionsEntry<models::Fault>> faults;
  std::vector<NamedEntry> programs;
  std::vector<models::OracleEntry> oracles;
};

/// The entry of that name, or null.
template <class Entry>
const Entry* find_entry(const std::vector<Entry>& entries, const std::string& name) {
  for (const auto& entry : entries) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}
/// The names of the entries, in their order.
template <class Entry>
std::vector<std::string> names_of(const std::vector<Entry>& entries) {
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (const auto& entry : entries) names.push_back(entry.name);
  return names;
}

/// Everything that is linked into this program.
Catalogue built_in_catalogue();

}  // namespace racksim::tools
