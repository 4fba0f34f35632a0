// Passes of FlowCC's LCF program, without any rack around it: how fast an RMT pipeline is executed.
#pragma once

#include <cstdint>

#include "tools/bench/rounds.hpp"

namespace racksim::tools {

/// Ingress passes per second, fused and stepped, and the ratio of the two.
struct LcfResult {
  Spread fused, stepped, fused_over_stepped;
};

/// 32 requesters of 8 nodes make random requests for 60,000 shared blocks and unlock what they lock; `passes` a round.
LcfResult run_lcf_passes(std::uint64_t passes, unsigned rounds);

/// So many fused passes, or one more; returns how many.
std::uint64_t lcf_passes(std::uint64_t passes);

}  // namespace racksim::tools
