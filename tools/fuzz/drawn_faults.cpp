// Writing of random faults. See drawn_faults.hpp.
#include "tools/fuzz/drawn_faults.hpp"

#include <algorithm>

#include "models/faults/faults.hpp"
#include "tools/scenario/binding.hpp"

namespace racksim::tools {

namespace {

/// All options in effect. The values are read through pointers into the fault, which is not changed.
JsonValue options_of(models::Fault& fault) {
  sim::Parameters parameters;
  fault.declare(parameters);
  return values_in_effect(parameters);
}

}  // namespace

JsonValue faults_array(const std::vector<models::DrawnFault>& faults) {
  auto array = JsonValue::array();
  for (const auto& [kind, fault] : faults) {
    const auto entry = std::find_if(models::faults().begin(), models::faults().end(),
                                    [&, &name = kind](const auto& candidate) { return candidate.name == name; });
    const JsonValue options = options_of(*fault), defaults = options_of(*entry->make());
    JsonValue written;
    written.set("kind", kind);
    for (const auto& option : *options.members()) {
      if (to_canonical_json(option.value) != to_canonical_json(*defaults.find(option.key))) written.append(option);
    }
    array.push(std::move(written));
  }
  return array;
}

}  // namespace racksim::tools
