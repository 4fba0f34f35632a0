// The ways to make a scenario smaller or simpler, for shrinking.
#pragma once

#include <vector>

#include "tools/scenario/scenario.hpp"

namespace racksim::tools {

/// One way to reduce: the candidates that it makes of a scenario document, the boldest first; none when it is at its
/// end. Whether a candidate fits the rack is for a trial to find out.
using Reduction = std::vector<JsonValue> (*)(const JsonValue& document, const Scenario& scenario);

/// All of them, in the order in which they are worth trying.
const std::vector<Reduction>& reductions();

}  // namespace racksim::tools
