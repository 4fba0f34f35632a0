#include "sim/oracles/mutual_exclusion_oracle.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace racksim::sim {

void MutualExclusionOracle::observe(const Observation& observation) {
  const bool begins = observation.what == Observed::operation_begun;
  const bool given_up = observation.what == Observed::operation_given_up;
  if (!begins && !given_up && observation.what != Observed::operation_ended) return;
  const auto operation = OperationView::of(observation);
  if (!requests_lock(operation.kind) && operation.kind != OperationKind::unlock) return;
  expect_in_order(observation.at);
  if (given_up) {
    given_up_.emplace(operation.key, observation.source.index);
  } else if (operation.kind == OperationKind::unlock) {
    if (begins) release(observation, operation.key);
  } else if (!begins && operation.value != 0) {
    grant(observation, operation);
  }
}

void MutualExclusionOracle::grant(const Observation& observation, const OperationView& request) {
  count_judged();
  const Hold hold{observation.operation, observation.at, observation.source, is_shared(request.kind)};
  const auto* found = held_.find(request.key);
  if (found == nullptr) {
    if (vacant_.empty()) {
      vacant_.push_back(static_cast<std::uint32_t>(holds_.size()));
      holds_.emplace_back();
    }
    holds_[vacant_.back()].assign(1, hold);
    held_[request.key] = vacant_.back();
    return vacant_.pop_back();
  }
  auto& holds = holds_[*found];
  const auto excludes = [&](const Hold& other) { return !other.shared || !hold.shared; };
  const auto other = std::find_if(holds.begin(), holds.end(), excludes);
  if (other != holds.end()) {
    violated(observation.at,
             keeps_more()
                 ? fmt::format("lock {}: granted {} while held {}", printed_key(request.key), told(hold), told(*other))
                 : std::string(),
             {request.key, {hold.request, other->request}});
  }
  holds.push_back(hold);
}

void MutualExclusionOracle::release(const Observation& observation, Key lock) {
  const auto* found = held_.find(lock);
  if (found != nullptr) {
    auto& holds = holds_[*found];
    const auto own =
        std::find_if(holds.begin(), holds.end(), [&](const Hold& h) { return h.session == observation.source; });
    if (own != holds.end()) {
      holds.erase(own);
      if (!holds.empty()) return;
      vacant_.push_back(*found);
      held_.erase(lock);
      return;
    }
  }
  if (const auto excuse = given_up_.find({lock, observation.source.index}); excuse != given_up_.end()) {
    given_up_.erase(excuse);
    return;
  }
  violated(observation.at,
           fmt::format("lock {}: given back by {} at {}, which did not hold it", printed_key(lock),
                       event_log_.operation(observation.operation, observation.source), printed(observation.at)),
           {lock, {observation.operation}});
}

void MutualExclusionOracle::finish(Time end) {
  std::vector<Key> locks;  // in an order that does not depend on the map
  held_.for_each([&](std::uint64_t lock, std::uint32_t) { locks.push_back(Key{lock}); });
  std::sort(locks.begin(), locks.end());
  for (const auto lock : locks) {
    for (const auto& hold : holds_[*held_.find(lock)]) {
      violated(end,
               keeps_more() ? fmt::format("lock {}: still held {} at the end", printed_key(lock), told(hold))
                            : std::string(),
               {lock, {hold.request}});
    }
  }
}

std::string MutualExclusionOracle::told(const Hold& hold) const {
  return fmt::format("{} by {} (since {})", hold.shared ? "shared" : "exclusively",
                     event_log_.operation(hold.request, hold.session), printed(hold.since));
}

}  // namespace racksim::sim
