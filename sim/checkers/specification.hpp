// Objects as sequential specifications: what one operation after the other does to the object, and what it returns.
// The general checkers ask whether a concurrent history can be explained by such a sequence (Herlihy and Wing,
// "Linearizability: A Correctness Condition for Concurrent Objects", ACM TOPLAS 12(3), 1990).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/checkers/operation.hpp"

namespace racksim::sim::checkers {

/// The state of an object, in words whose meaning its specification knows. Equal states must be equal word by word.
using ObjectState = std::vector<std::uint64_t>;

/// A deterministic object.
class SequentialSpecification {
 public:
  virtual ~SequentialSpecification() = default;

  /// The state before the first operation, for an object that holds `value`.
  virtual ObjectState initial(std::uint64_t value) const = 0;

  /// Lets the operation act on the state. False, with the state in disarray, if the object cannot have acted so: the
  /// operation returned something else, or is not possible in this state. A pending operation may return anything.
  virtual bool apply(ObjectState& state, const Operation& operation) const = 0;
};

/// A word of memory: reads, writes, compare-and-swap, fetch-and-add.
class RegisterSpecification final : public SequentialSpecification {
 public:
  ObjectState initial(std::uint64_t value) const override { return {value}; }
  bool apply(ObjectState& state, const Operation& operation) const override;
};

}  // namespace racksim::sim::checkers
