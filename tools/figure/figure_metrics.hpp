// The metrics that a figure shows: "metrics" of its file.
#pragma once

#include "tools/figure/figure.hpp"

namespace racksim::tools {

/// Reads their short names, the names in the report and the scales. Throws InputError.
void read_metrics(Figure& figure, const JsonValue& metrics, const JsonLocation& place);

/// Every series is asked for its metrics, by its first point; one that no series has is a mistake, of which it throws
/// InputError. Learns their units.
void check_metrics(Figure& figure, const JsonLocation& place);

}  // namespace racksim::tools
