// Constants that follow from others and were given against them. None of these is an error: what is given is used, as a
// test of spurious timeouts wants it; but nobody should have to find out.
#pragma once

#include <string>
#include <vector>

#include "tools/scenario/scenario.hpp"

namespace racksim::tools {

/// Sentences without a full stop, each with both numbers: "rtt is 300 ns, but ... 2171 ns".
std::vector<std::string> contradictions(const models::RackOptions& rack);
/// The same of a scenario's rack, and of its protocol's timeouts.
std::vector<std::string> contradictions(const Scenario& scenario);

}  // namespace racksim::tools
