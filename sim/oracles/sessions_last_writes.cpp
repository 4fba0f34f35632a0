// Keeping what may be last. See sessions_last_writes.hpp.
#include "sim/oracles/sessions_last_writes.hpp"

#include <algorithm>

namespace racksim::sim {

void SessionsLastWrites::observe(const Observation& observation) {
  const bool begun = begins(observation.what);
  if (!begun && !ends(observation.what)) return;
  const auto operation = OperationView::of(observation);
  if (operation.kind != OperationKind::write) return;
  std::uint32_t* index = index_.find(operation.key);
  if (index == nullptr) {
    index = &index_[operation.key];
    *index = static_cast<std::uint32_t>(writes_.size());
    writes_.emplace_back();
  }
  std::vector<Write>& writes = writes_[*index];
  ++event_;
  if (begun) {
    writes.push_back({.session = observation.source, .value = operation.value, .begun = event_});
    return;
  }
  const auto ends =
      std::find_if(writes.begin(), writes.end(), [&](const Write& w) { return w.value == operation.value; });
  if (ends == writes.end()) return;
  ends->ended = event_;
  // Only now: what is given up may never have taken effect.
  std::erase_if(writes, [&, by = *ends](const Write& w) { return w.session == by.session && w.ended < by.begun; });
}

bool SessionsLastWrites::may_hold(Key key, Value value) const {
  const auto values = possible_values(key);
  return std::find(values.begin(), values.end(), value) != values.end();
}

std::vector<Value> SessionsLastWrites::possible_values(Key key) const {
  const std::uint32_t* index = index_.find(key);
  if (index == nullptr) return {kNeverWritten};
  const std::vector<Write>& writes = writes_[*index];
  std::vector<Value> values;
  for (const Write& write : writes) values.push_back(write.value);
  if (std::none_of(writes.begin(), writes.end(), [](const Write& write) { return write.ended != kNotYet; })) {
    values.push_back(kNeverWritten);
  }
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace racksim::sim
