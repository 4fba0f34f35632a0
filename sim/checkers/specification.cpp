#include "sim/checkers/specification.hpp"

namespace racksim::sim::checkers {

bool RegisterSpecification::apply(ObjectState& state, const Operation& operation) const {
  const auto before = state[0];
  switch (operation.action) {
    case Action::read:
      break;
    case Action::write:
      state[0] = operation.argument;
      return true;
    case Action::compare_and_swap:
      if (before == operation.expected) state[0] = operation.argument;
      break;
    case Action::fetch_and_add:
      state[0] += operation.argument;
      break;
    default:
      return false;
  }
  return operation.pending() || operation.result == before;
}

}  // namespace racksim::sim::checkers
