#include "tests/sim/checkers/reference/lock_specification.hpp"

#include <algorithm>
#include <utility>

namespace racksim::sim::checkers {

// The first word is the exclusive holder + 1, or 0; the others are the sessions that hold the lock shared, ascending.
bool LockSpecification::apply(ObjectState& state, const Operation& operation) const {
  const std::uint64_t session = operation.session;
  switch (operation.action) {
    case Action::lock:
      if (state[0] != 0 || state.size() > 1) return false;
      state[0] = session + 1;
      return true;
    case Action::lock_shared:
      if (state[0] != 0) return false;
      state.insert(std::upper_bound(state.begin() + 1, state.end(), session), session);
      return true;
    case Action::unlock: {
      if (state[0] != 0) return std::exchange(state[0], 0) == session + 1;
      const auto held = std::lower_bound(state.begin() + 1, state.end(), session);
      if (held == state.end() || *held != session) return false;
      state.erase(held);
      return true;
    }
    default:
      return false;
  }
}

}  // namespace racksim::sim::checkers
