// Random fault schedules, for fuzzing: which kinds, where and when.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/faults/fault.hpp"

namespace racksim::models {

/// A fault drawn at random, as a scenario's `faults` could name it.
struct DrawnFault {
  std::string kind;
  std::shared_ptr<Fault> fault;
};

/// Draws one to `most` faults from the kinds named in `kinds`, each with options of its own choice. Every draw fits a
/// rack of `scene.nodes` nodes. The same stream gives the same faults. Kinds that need more nodes
/// are left out. Throws std::runtime_error for a name that is no kind, and when no kind is left.
std::vector<DrawnFault> draw_faults(sim::RandomStream& random, const FaultScene& scene,
                                    const std::vector<std::string>& kinds, std::uint64_t most = 4);

}  // namespace racksim::models
