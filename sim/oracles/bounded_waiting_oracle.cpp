#include "sim/oracles/bounded_waiting_oracle.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace racksim::sim {
namespace {

/// Whether both may have the unit at a time.
bool are_compatible(OperationKind a, OperationKind b) {
  if (requests_lock(a)) return is_shared(a) && is_shared(b);
  return a == OperationKind::read && b == OperationKind::read;
}

bool writes(OperationKind kind) {
  return kind == OperationKind::write || is_atomic(kind);
}

bool is_try(OperationKind kind) {
  return kind == OperationKind::try_lock || kind == OperationKind::try_lock_shared;
}

}  // namespace

void BoundedWaitingOracle::observe(const Observation& observation) {
  switch (observation.what) {
    case Observed::operation_begun:
      return begin(observation, OperationView::of(observation));
    case Observed::operation_ended:
      return end(observation, OperationView::of(observation), true);
    case Observed::operation_given_up:
      return end(observation, OperationView::of(observation), false);
    case Observed::disturbance:
      return disturb(observation);
    default:
      return;
  }
}

void BoundedWaitingOracle::disturb(const Observation& observation) {
  const auto kind = DisturbanceView::of(observation).kind;
  if (kind == Disturbance::healed) return;
  if (kind == Disturbance::machine_begin) ++machine_faults_;
  if (kind == Disturbance::machine_end) machine_faults_ -= std::min(machine_faults_, 1U);
  to_come_.push_back({observation.at, observation.at + bounds_.settling});
}

// Wires and switches compute ahead, further in one mode of execution than in another: what they tell counts from its own
// instant on.
bool BoundedWaitingOracle::is_calm(Time since, Time now) {
  std::erase_if(to_come_, [&](const Effect& effect) {
    if (effect.at > now) return false;
    disturbed_ = disturbed_ ? std::max(*disturbed_, effect.until) : effect.until;
    return true;
  });
  return machine_faults_ == 0 && (!disturbed_ || since > *disturbed_);
}

BoundedWaitingOracle::Unit& BoundedWaitingOracle::unit(std::uint64_t number) {
  if (const auto* found = numbers_.find(number)) return units_[*found];
  if (vacant_.empty()) {
    vacant_.push_back(static_cast<std::uint32_t>(units_.size()));
    units_.emplace_back();
  }
  const std::uint32_t place = vacant_.back();
  vacant_.pop_back();
  numbers_[number] = place;
  return units_[place];
}

void BoundedWaitingOracle::begin(const Observation& observation, const OperationView& operation) {
  const std::uint64_t number = number_of(operation);
  count(observation.source, 1, 0, observation.at);
  if (!is_judged(operation.kind)) return;
  expect_in_order(observation.at);
  if (bounds_.overtakings != WaitingBounds::kAny || bounds_.step != Duration::max()) count_judged();
  UnderWay& session = of_sessions_[observation.source.index];
  session.most = std::max(session.most, ++session.now);
  Unit& of = unit(number);
  if (of.waiting.empty()) move(of, observation.at);
  of.waiting.push_back({observation.operation, observation.at, clock(observation.at), observation.source, operation.key,
                        under_way_++, operation.kind});
}

void BoundedWaitingOracle::end(const Observation& observation, const OperationView& operation, bool ended) {
  const bool done = ended && (!requests_lock(operation.kind) || operation.value != 0);
  const std::uint64_t number = number_of(operation);
  const bool unlocks = operation.kind == OperationKind::unlock;
  count(observation.source, -1, done && requests_lock(operation.kind) ? 1 : unlocks ? -1 : 0, observation.at);
  if (unlocks) {
    const auto* place = numbers_.find(number);
    if (place == nullptr || units_[*place].held == 0 || --units_[*place].held > 0) return;
    move(units_[*place], observation.at);
    return leave(number, *place);
  }
  if (is_judged(operation.kind)) leave_waiting(observation, number, done);
  if (done && requests_lock(operation.kind)) ++unit(number).held;
}

void BoundedWaitingOracle::leave_waiting(const Observation& observation, std::uint64_t number, bool done) {
  const auto* place = numbers_.find(number);
  if (place == nullptr) return;
  Unit& of = units_[*place];
  const auto found = std::find_if(of.waiting.begin(), of.waiting.end(),
                                  [&](const Operation& one) { return one.operation == observation.operation; });
  if (found == of.waiting.end()) return;
  const Operation ended = std::move(*found);
  --under_way_;
  --of_sessions_[ended.session.index].now;
  of.waiting.erase(found);
  // While an application holds a lock its own accesses come first, and others wait for as long as it likes.
  const bool free = of.held == 0;
  const Duration of_holder = done ? taken(ended, number, observation.at) : Duration{};
  if (done && free && !is_try(ended.kind)) step(ended, observation, of, of_holder);
  if (done && (free || of_ == Waiting::locks) && observation.at - ended.since >= bounds_.waits_from)
    overtake(ended, observation, of);
  move(of, observation.at);
  leave(number, *place);
}

void BoundedWaitingOracle::move(Unit& of, Time now) {
  of.moved = std::max(of.moved, now);
  of.clock = std::max(of.clock, clock(now));
}

void BoundedWaitingOracle::count(Source session, int operations, int locks, Time now) {
  if (session.index >= of_sessions_.size()) of_sessions_.resize(session.index + 1);
  UnderWay& of = of_sessions_[session.index];
  const bool sat = of.sits();
  of.operations += operations;
  of.locks = std::max(of.locks + locks, 0);
  if (of.sits() == sat) return;
  if (!sat && sitting_++ == 0) sitting_since_ = now;
  if (sat && --sitting_ == 0) sat_ = sat_ + (now - sitting_since_);
}

Duration BoundedWaitingOracle::taken(const Operation& ended, std::uint64_t number, Time now) {
  if (bounds_.as_the_holder == 0) return {};
  Holder& holder = holders_[number];
  const std::string_view node = node_of(ended.session);
  const Duration before = holder.waited, waited = now - ended.since;
  holder = {node, holder.node == node ? std::max(before, waited) : waited};
  return before;
}

void BoundedWaitingOracle::leave(std::uint64_t number, std::uint32_t place) {
  if (!units_[place].waiting.empty() || units_[place].held > 0) return;
  vacant_.push_back(place);
  numbers_.erase(number);
}

void BoundedWaitingOracle::overtake(const Operation& winner, const Observation& observation, Unit& of) {
  if (bounds_.writes_return_early && winner.kind == OperationKind::write) return;
  for (Operation& loser : of.waiting) {
    if (loser.since + bounds_.headway >= winner.since) return;
    const bool for_itself = bounds_.writes_return_early && writes(loser.kind);
    if (for_itself || is_try(loser.kind) || are_compatible(loser.kind, winner.kind)) continue;
    if (!is_calm(loser.since, observation.at)) continue;
    auto by = std::find_if(loser.overtaken_by.begin(), loser.overtaken_by.end(),
                           [&](const auto& other) { return other.first == winner.session; });
    if (by == loser.overtaken_by.end()) by = loser.overtaken_by.insert(by, {winner.session, 0});
    most_ = std::max<std::uint64_t>(most_, ++by->second);
    const std::uint64_t most = allowed(winner.session, loser.session);
    if (most == WaitingBounds::kAny || by->second != most + 1) continue;
    violated(observation.at,
             keeps_more()
                 ? fmt::format("{} was overtaken {} times by what {} began later, {} allowed; last by {} at {}",
                               told(loser), by->second, event_log_.called(winner.session), most,
                               event_log_.operation(winner.operation, winner.session), printed(observation.at))
                 : std::string(),
             {loser.key, {loser.operation, winner.operation}});
  }
}

std::uint64_t BoundedWaitingOracle::allowed(Source winner, Source loser) {
  std::uint64_t each = bounds_.overtakings;
  if (bounds_.at_node && node_of(winner) == node_of(loser)) each = *bounds_.at_node;
  return each == WaitingBounds::kAny ? each : each * of_sessions_[winner.index].most;
}

// Sessions are called node3/thread1.
std::string_view BoundedWaitingOracle::node_of(Source session) const {
  const std::string_view name = event_log_.name(session);
  return name.substr(0, name.find('/'));
}

void BoundedWaitingOracle::step(const Operation& ended, const Observation& observation, const Unit& of,
                                Duration of_holder) {
  if (!is_calm(std::max(of.moved, ended.since), observation.at)) return;
  const Duration waited = clock(observation.at) - std::max(of.clock, ended.clock);
  longest_ = std::max(longest_, waited);
  if (bounds_.step == Duration::max()) return;
  const Duration allowed = bounds_.step +
                           bounds_.work * static_cast<std::int64_t>(std::max(ended.in_front, under_way_)) +
                           of_holder * static_cast<std::int64_t>(bounds_.as_the_holder);
  if (waited <= allowed) return;
  violated(observation.at,
           keeps_more() ? fmt::format("{} waited for {} while nothing ended there, {} allowed", told(ended),
                                      printed(Time{} + waited), printed(Time{} + allowed))
                        : std::string(),
           {ended.key, {ended.operation}});
}

std::string BoundedWaitingOracle::told(const Operation& waiting) const {
  return fmt::format("{} {} on key {}, waiting since {},", to_string(waiting.kind),
                     event_log_.operation(waiting.operation, waiting.session), printed_key(waiting.key),
                     printed(waiting.since));
}

}  // namespace racksim::sim
