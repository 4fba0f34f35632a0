#include "sim/oracles/lock_fairness_oracle.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>

namespace racksim::sim {

void LockFairnessOracle::observe(const Observation& observation) {
  const bool begins = observation.what == Observed::operation_begun;
  const bool ends = observation.what == Observed::operation_ended;
  if (!begins && !ends && observation.what != Observed::operation_given_up) return;
  const auto request = OperationView::of(observation);
  if (!requests_lock(request.kind)) return;
  expect_in_order(observation.at);
  if (begins) return begin(observation, request);
  const auto* found = begun_.find(observation.operation);
  if (found == nullptr) return;
  const PendingOperation begun = *found;
  if (ends && request.value != 0) grant(observation, request, begun);
  begun_.erase(observation.operation);
  remove(begun.lock, observation.operation);
}

void LockFairnessOracle::begin(const Observation& observation, const OperationView& request) {
  count_judged();
  const auto position = ++position_;
  begun_[observation.operation] = {position, request.key};
  if (request.kind != OperationKind::lock && request.kind != OperationKind::lock_shared) return;
  if (queues_.find(request.key) == nullptr) {
    if (vacant_.empty()) {
      vacant_.push_back(static_cast<std::uint32_t>(queues_kept_.size()));
      queues_kept_.emplace_back();
    }
    queues_[request.key] = vacant_.back();
    vacant_.pop_back();
  }
  queues_kept_[*queues_.find(request.key)].push_back(
      {observation.operation, position, observation.at, observation.source, request.kind, 0});
}

void LockFairnessOracle::grant(const Observation& observation, const OperationView& winner,
                               const PendingOperation& begun) {
  const auto* queue = queues_.find(begun.lock);
  if (queue == nullptr) return;
  for (auto& loser : queues_kept_[*queue]) {
    if (loser.begun >= begun.position) return;
    if (is_shared(loser.kind) && is_shared(winner.kind)) continue;
    most_ = std::max(most_, ++loser.overtakings);
    if (loser.overtakings != allowed_ + 1) continue;
    violated(observation.at,
             keeps_more()
                 ? fmt::format("lock {}: {} (operation {}) of {}, waiting since {}, was overtaken {} times by "
                               "requests that began later, {} allowed; last by operation {} of {} at {}",
                               printed_key(begun.lock), to_string(loser.kind), loser.operation,
                               event_log_.name(loser.session), printed(loser.since), loser.overtakings, allowed_,
                               observation.operation, event_log_.name(observation.source), printed(observation.at))
                 : std::string(),
             {begun.lock, {loser.operation, observation.operation}});
  }
}

void LockFairnessOracle::remove(Key lock, OperationId operation) {
  const auto* found = queues_.find(lock);
  if (found == nullptr) return;  // a try-lock, and nobody waits
  auto& queue = queues_kept_[*found];
  std::erase_if(queue, [operation](const Request& request) { return request.operation == operation; });
  if (!queue.empty()) return;
  vacant_.push_back(*found);
  queues_.erase(lock);
}

}  // namespace racksim::sim
