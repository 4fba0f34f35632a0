// What a message of a coherence protocol costs the calendar.
#pragma once

#include <string>

#include "tools/scenario/scenario.hpp"

namespace racksim::tools {

/// Events a message: of a run of `with_messages`, beyond those that the same accesses take in a run of `without`, for
/// each of the messages that the metric `messages` counts. Each run in a child process. Throws std::runtime_error if
/// the oracles object to one, or it has no such metric.
double events_per_message(const Scenario& with_messages, const Scenario& without, const std::string& messages);

}  // namespace racksim::tools
