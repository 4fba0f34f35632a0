// The cache of a compute node (SELCC §5).
#pragma once

#include "protocols/line_cache/line_cache.hpp"
#include "protocols/selcc/frame.hpp"

namespace racksim::selcc {

using Cache = line_cache::LineCache<Frame>;

}  // namespace racksim::selcc
