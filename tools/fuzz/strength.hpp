// How strong templates are: whether fuzzing with them notices when a safety mechanism of their protocol is turned off
// (sim/options/parameters.hpp, `guards`). A template that does not exercise what the mechanism is there for says nothing
// when it passes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/fuzz/fuzz.hpp"
#include "tools/scenario/mechanisms.hpp"

namespace racksim::tools {

/// What became of one mechanism that was turned off.
struct MechanismSearch {
  Mechanism mechanism;
  std::optional<std::uint64_t> found_after;  ///< runs of the template that found it
  std::string template_file;                 ///< the one that found it
  std::string oracle;                        ///< what it was found by
  /// Whether any run of any template went another way without it, by its operations and events. If none did, the
  /// templates never come to where it matters.
  bool acts = false;
  std::string refusal;  ///< why the templates cannot be run without it, if none can
};

struct Strength {
  /// Of the first template that fails with all mechanisms in place, which says nothing of them then: its file, and how.
  std::string fails_as_it_is;
  std::vector<MechanismSearch> searches;  ///< one for each mechanism of the protocol
  bool interrupted = false;

  std::size_t missed() const;
};

/// Told before each campaign: the mechanism's option, or nothing for the template as it is, and its template.
using StrengthProgress = std::function<void(const std::string& option, const std::string& file)>;

/// Fuzzes each template as it is, for all of `plan.runs`, and then turns each mechanism off until a template finds it,
/// one after the other. All templates must be of one protocol. Throws InputError.
Strength measure_strength(const std::vector<std::string>& templates, const std::vector<std::string>& overrides,
                          std::uint64_t seed, const FuzzPlan& plan, const Catalogue& catalogue,
                          const StrengthProgress& progress);

}  // namespace racksim::tools
