// How much a metric has changed, as people read it.
#pragma once

#include <string>

namespace racksim::tools {

/// The change in per cent of `from`'s size; infinite if `from` is 0 and `to` is not.
double change_per_cent(double from, double to);

/// "+1.3 %", "-0.004 %", "unchanged", or "was 0".
std::string change_text(double from, double to);

}  // namespace racksim::tools
