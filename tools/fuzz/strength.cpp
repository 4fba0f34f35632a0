// Campaigns without a mechanism each. See strength.hpp.
#include "tools/fuzz/strength.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tools/json/input_error.hpp"
#include "tools/scenario/overrides.hpp"

namespace racksim::tools {
namespace {

/// A template, and what its runs did with all mechanisms in place.
struct Measured {
  std::string file;
  std::uint64_t operations = 0, events = 0;
};

FuzzResult campaign(const Swarm& swarm, const FuzzPlan& plan, const Catalogue& catalogue) {
  return fuzz(swarm, plan, scenario_runner(catalogue, {TrialDetail::none, true}), coverage_map(swarm.original()));
}

/// "protocol.flowcc.check_table=false"
std::string turned_off(const Mechanism& mechanism) {
  return fmt::format("protocol.{}.{}={}", mechanism.protocol, mechanism.option, override_text(mechanism.unsafe));
}

class Search {
 public:
  Search(const std::vector<std::string>& overrides, std::uint64_t seed, const FuzzPlan& plan,
         const Catalogue& catalogue, const StrengthProgress& progress)
      : overrides_(overrides), seed_(seed), plan_(plan), catalogue_(catalogue), progress_(progress) {}

  /// The template as it is; false if it fails so.
  bool measure(const std::string& file, const Swarm& swarm, Strength& strength) {
    progress_("", file);
    protocol_ = swarm.original().protocol.name;
    const FuzzResult result = campaign(swarm, plan_, catalogue_);
    strength.interrupted = result.interrupted;
    if (!result.failures.empty()) {
      const FuzzFailure& failure = result.failures.front();
      strength.fails_as_it_is = fmt::format("{}, run {}: {}", file, failure.index, description(failure.result));
    }
    measured_.push_back({file, result.operations, result.events});
    return result.failures.empty() && !result.interrupted;
  }

  std::vector<Mechanism> mechanisms() const { return mechanisms_of(*find_entry(catalogue_.protocols, protocol_)); }

  /// False if the program was interrupted.
  bool search(MechanismSearch& search) {
    std::size_t refused = 0;
    for (const Measured& with : measured_) {
      progress_(search.mechanism.option, with.file);
      std::vector<std::string> overrides = overrides_;
      overrides.push_back(turned_off(search.mechanism));
      try {
        const FuzzResult without = campaign(load_swarm(with.file, catalogue_, overrides, seed_), plan_, catalogue_);
        if (without.interrupted) return false;
        if (without.refused == without.runs) search.refusal = without.first_refusal;
        if (without.refused == without.runs) ++refused;
        search.acts |= without.operations != with.operations || without.events != with.events;
        if (without.failures.empty()) continue;
        search.found_after = without.failures.front().index + 1;
        search.template_file = with.file;
        search.oracle = without.failures.front().result.kind;
        break;
      } catch (const InputError& error) {
        search.refusal = error.what();
        ++refused;
      }
    }
    if (refused < measured_.size()) search.refusal.clear();
    return true;
  }

 private:
  const std::vector<std::string>& overrides_;
  std::uint64_t seed_;
  const FuzzPlan& plan_;
  const Catalogue& catalogue_;
  const StrengthProgress& progress_;
  std::string protocol_;
  std::vector<Measured> measured_;
};

}  // namespace

std::size_t Strength::missed() const {
  return static_cast<std::size_t>(std::count_if(searches.begin(), searches.end(),
                                                [](const MechanismSearch& search) { return !search.found_after; }));
}

Strength measure_strength(const std::vector<std::string>& templates, const std::vector<std::string>& overrides,
                          std::uint64_t seed, const FuzzPlan& plan, const Catalogue& catalogue,
                          const StrengthProgress& progress) {
  Strength strength;
  Search search(overrides, seed, plan, catalogue, progress);
  const std::vector<Swarm> swarms = load_swarms(templates, catalogue, overrides, seed);
  for (std::size_t i = 0; i < templates.size(); ++i) {
    if (!search.measure(templates[i], swarms[i], strength)) return strength;
  }
  for (const Mechanism& mechanism : search.mechanisms()) {
    MechanismSearch one{.mechanism = mechanism, .found_after = {}, .template_file = {}, .oracle = {}, .refusal = {}};
    if (!search.search(one)) {
      strength.interrupted = true;
      return strength;
    }
    strength.searches.push_back(std::move(one));
  }
  return strength;
}

}  // namespace racksim::tools
