#include "sim/oracles/progress_oracle.hpp"

#include <fmt/core.h>

namespace racksim::sim {

namespace {
KeyAndOperations key_and_operations(const ProgressOracle::Pending& pending) {
  return {pending.key, {pending.operation}};
}
}  // namespace

ProgressOracle::ProgressOracle(const EventLog& event_log, Duration patience)
    : Oracle("progress", "operation"), event_log_(event_log), patience_(patience) {}

void ProgressOracle::observe(const Observation& observation) {
  const bool ends = observation.what == Observed::operation_ended || observation.what == Observed::operation_given_up;
  if (!ends && observation.what != Observed::operation_begun) return;
  expect_in_order(observation.at);
  advance(observation.at);
  ends ? end(observation) : begin(observation);
}

void ProgressOracle::advance(Time now) {
  for (; patient_ != kNone; patient_ = entries_[patient_].next) {
    const auto& pending = entries_[patient_].pending;
    if (now - pending.since <= patience_) return;
    violated(pending.since + patience_,
             keeps_more() ? fmt::format("{} is still pending after {:.3f} ns", described(pending), patience_.ns())
                          : std::string(),
             key_and_operations(pending));
  }
}

void ProgressOracle::begin(const Observation& observation) {
  const auto operation = OperationView::of(observation);
  const Pending pending{observation.operation, operation.key, observation.at, observation.source, operation.kind};
  if (index_.find(observation.operation) != nullptr)
    return violated(observation.at, fmt::format("{} began a second time", described(pending)),
                    key_and_operations(pending));
  auto slot = vacant_;
  if (slot == kNone) {
    slot = static_cast<std::uint32_t>(entries_.size());
    entries_.emplace_back();
  } else {
    vacant_ = entries_[slot].next;
  }
  entries_[slot] = {pending, newest_, kNone};
  (newest_ == kNone ? oldest_ : entries_[newest_].next) = slot;
  newest_ = slot;
  if (patient_ == kNone) patient_ = slot;
  index_[observation.operation] = slot;
}

void ProgressOracle::end(const Observation& observation) {
  const auto* found = index_.find(observation.operation);
  if (found == nullptr) {
    const auto operation = OperationView::of(observation);
    return violated(observation.at,
                    fmt::format("{} on key {} ended at {}, but was not pending",
                                event_log_.operation(observation.operation, observation.source),
                                printed_key(operation.key), printed(observation.at)),
                    {operation.key, {observation.operation}});
  }
  const auto slot = *found;
  auto& entry = entries_[slot];
  (entry.previous == kNone ? oldest_ : entries_[entry.previous].next) = entry.next;
  (entry.next == kNone ? newest_ : entries_[entry.next].previous) = entry.previous;
  if (patient_ == slot) patient_ = entry.next;
  entry.next = vacant_;
  vacant_ = slot;
  index_.erase(observation.operation);
}

void ProgressOracle::finish(Time end) {
  advance(end);
  for (auto slot = oldest_; slot != kNone; slot = entries_[slot].next) {
    const auto& pending = entries_[slot].pending;
    violated(end, keeps_more() ? fmt::format("{} never ended", described(pending)) : std::string(),
             key_and_operations(pending));
  }
}

std::vector<ProgressOracle::Pending> ProgressOracle::pending() const {
  std::vector<Pending> result;
  for (auto slot = oldest_; slot != kNone; slot = entries_[slot].next) result.push_back(entries_[slot].pending);
  return result;
}

std::string ProgressOracle::described(const Pending& pending) const {
  return fmt::format("{} {} on key {}, begun at {},", to_string(pending.kind),
                     event_log_.operation(pending.operation, pending.session), printed_key(pending.key),
                     printed(pending.since));
}

}  // namespace racksim::sim
