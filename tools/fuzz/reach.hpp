// What templates reach: of each parameter of the protocol, the workloads and the faults the values that their runs had,
// and those that none had, with the reason where the template or the parameter's declaration tells one. A feature that no
// template reaches is one that fuzzing says nothing of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/options/parameters.hpp"
#include "tools/fuzz/fuzz.hpp"

namespace racksim::tools {

/// A value that runs had, as a scenario writes it.
struct ReachedValue {
  JsonValue value;
  std::uint64_t runs = 0;
  double order = 0;  ///< numbers, sizes and times by what they are
};

/// A value that none had. Empty: any other than those that were reached.
struct MissedValue {
  std::string value;
  std::string why;
};

struct ParameterReach {
  std::string name;                   ///< without its component
  std::vector<ReachedValue> reached;  ///< in their order
  std::vector<MissedValue> missed;
};

/// A rack, protocol, workload or kind of faults.
struct ComponentReach {
  std::string name;        ///< "protocol selcc", "fault crash"
  std::uint64_t uses = 0;  ///< runs, or faults of the kind
  std::vector<ParameterReach> parameters;
  std::string why_never;  ///< of one without uses
};

struct Reach {
  std::uint64_t runs = 0;
  std::vector<ComponentReach> components;
  std::vector<std::uint64_t> runs_reaching;  ///< as FuzzResult's
  /// Of the first template that failed, whose later runs are not there: its file, and how.
  std::string fails;
  bool interrupted = false;
};

/// Runs `plan` of each template, all of one protocol. Throws InputError.
Reach measure_reach(const std::vector<std::string>& templates, const std::vector<std::string>& overrides,
                    std::uint64_t seed, const FuzzPlan& plan, const Catalogue& catalogue,
                    const std::function<void(const std::string& file)>& progress);

}  // namespace racksim::tools
