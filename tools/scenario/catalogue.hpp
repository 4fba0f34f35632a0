// What this build offers under names: protocols, workloads, faults, switch programs and oracles.
//
// The scenario reader knows none of them by itself; it finds their options through the declarations here.
#pragma once

#include <cstdint>
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
  /// Of a protocol or a workload: the oracles that depend on its options, and that it keeps or brings with these.
  std::function<std::vector<std::string>(const void* options)> promises = {};
  /// Throws sim::RefusedOption if the options are wrong by themselves, each though it is of its kind and in its range.
  std::function<void(const void* options)> check = {};
};

/// A component that only has a name.
struct NamedEntry {
  std::string name;
  std::string doc;
};

/// An oracle, and whether "all" asks for it: always, if the protocol promises it with the options that it is given, or
/// never, since others imply it or since not every run can keep it.
struct OracleEntry : NamedEntry {
  enum class Asked : std::uint8_t { always, if_promised, by_name };
  Asked asked = Asked::always;
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
