// Random faults as a scenario file spells them, so that a fuzzer can write them down and a shrinker take them apart.
#pragma once

#include <vector>

#include "models/faults/fault_menu.hpp"
#include "tools/json/json_document.hpp"

namespace racksim::tools {

/// The array `faults` of a scenario: of each fault its kind and the options that differ from their defaults.
JsonValue faults_array(const std::vector<models::DrawnFault>& faults);

}  // namespace racksim::tools
