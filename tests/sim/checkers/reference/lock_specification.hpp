// A lock as a sequential specification (sim/checkers/specification.hpp), for the general search to judge.
#pragma once

#include <cstdint>

#include "sim/checkers/specification.hpp"

namespace racksim::sim::checkers {

/// A lock: one session holds it exclusively, or several hold it shared, a session perhaps more than once. With
/// exclusive requests alone it is a mutex. It begins free.
class LockSpecification final : public SequentialSpecification {
 public:
  ObjectState initial(std::uint64_t) const override { return {0}; }
  bool apply(ObjectState& state, const Operation& operation) const override;
};

}  // namespace racksim::sim::checkers
