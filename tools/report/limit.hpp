// What keeps a run from being faster.
#pragma once

#include <string>
#include <vector>

#include "models/rack/rack_usage.hpp"
#include "sim/metrics/metrics.hpp"
#include "tools/experiment/run_result.hpp"

namespace racksim::tools {

/// The resource that has all hands full, of several the one for which most wait; null if none has.
const models::BusiestResource* limiting_resource(const std::vector<models::BusiestResource>& busiest);

/// That resource with its queue, or, where none has all hands full, that operations take their time (Little's law). Empty
/// for an empty window.
std::string limit_text(const RunResult& result, const sim::Metrics& metrics);

}  // namespace racksim::tools
