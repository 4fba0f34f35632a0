// Explanations of timeouts. See served_oracle.hpp.
#include "sim/oracles/served_oracle.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace racksim::sim {

ServedOracle::ServedOracle(const EventLog& event_log, ServedRules rules)
    : Oracle("served", "operation"), event_log_(event_log), rules_(std::move(rules)) {}

void ServedOracle::observe(const Observation& observation) {
  switch (observation.what) {
    case Observed::operation_begun: {
      const auto operation = OperationView::of(observation);
      pending_[observation.operation] = {observation.at, operation.key, observation.source, operation.kind, {}};
      return;
    }
    case Observed::operation_given_up: {
      const Pending* pending = pending_.find(observation.operation);
      const Time since = pending != nullptr ? pending->began : observation.at;
      judge(observation, {SentAgain::timeout, OperationView::of(observation).key, since, true});
      [[fallthrough]];
    }
    case Observed::operation_ended:
      if (const Pending* pending = pending_.find(observation.operation); pending != nullptr && pending->disturbed) {
        remember(observation.operation, *pending->disturbed);
      }
      pending_.erase(observation.operation);
      return;
    case Observed::sent_again:
      return judge(observation, SentAgainView::of(observation));
    case Observed::disturbance:
      return disturbed(observation);
    default:
      return;
  }
}

void ServedOracle::disturbed(const Observation& observation) {
  const auto [kind, until] = DisturbanceView::of(observation);
  switch (kind) {
    case Disturbance::machine_begin:
      ++machine_faults_;
      break;
    case Disturbance::machine_end:
      machine_faults_ -= std::min(machine_faults_, 1U);
      machines_ = observation.at;
      break;
    case Disturbance::healed:
      healed_ = until;
      return;
    case Disturbance::behind:
      // A gap that no fault has made explains nothing.
      if (any_) touch(observation.operation, observation.at);
      return;
    case Disturbance::lost:
    case Disturbance::late:
      touch(observation.operation, observation.at);
      break;
  }
  any_ = true;
}

void ServedOracle::touch(OperationId operation, Time at) {
  const auto latest = [at](std::optional<Time>& time) { time = time ? std::max(*time, at) : at; };
  if (operation == 0) return latest(control_);
  Pending* pending = pending_.find(operation);
  if (pending == nullptr) {
    latest(control_);  // its key is not known any more
    return remember(operation, at);
  }
  latest(pending->disturbed);
  const auto fate = rules_.fate ? rules_.fate(pending->key) : std::nullopt;
  if (!fate) return;
  Time& last = fates_[*fate];
  last = std::max(last, at);
}

void ServedOracle::remember(OperationId operation, Time at) {
  if (at - stretch_began_ > rules_.settling) {
    touched_before_ = std::exchange(touched_, {});
    stretch_began_ = at;
  }
  Time& last = touched_[operation];
  last = std::max(last, at);
}

std::optional<Time> ServedOracle::last_touch(OperationId operation, const Pending* pending) {
  if (pending != nullptr) return pending->disturbed;
  for (auto* touched : {&touched_, &touched_before_}) {
    if (const Time* last = touched->find(operation)) return *last;
  }
  return std::nullopt;
}

void ServedOracle::judge(const Observation& observation, const SentAgainView& again) {
  if (rules_.expect_timeouts || again.why == SentAgain::refusal || again.why == SentAgain::wrong_answer) return;
  const Pending* pending = pending_.find(observation.operation);
  if (is_explained(observation, again, pending)) return;
  KeyAndOperations about;
  if (pending != nullptr) about.key = pending->key;
  if (observation.operation != 0) about.operations = {observation.operation};
  violated(observation.at, keeps_more() ? described(observation, again, pending) : std::string(), std::move(about));
}

bool ServedOracle::is_explained(const Observation& observation, const SentAgainView& again, const Pending* pending) {
  const bool of_control = observation.operation == 0;
  // What a fault has touched began before the healing, whenever its connection last set its timer.
  const auto own = of_control ? std::nullopt : last_touch(observation.operation, pending);
  const bool began_healed = pending != nullptr ? pending->began >= healed_ : !own && again.since >= healed_;
  if (!of_control && began_healed) return false;
  if (machine_faults_ > 0 || (machines_ && settles(*machines_, again.since))) return true;
  if (own && (again.given_up || again.since - *own <= rules_.patience)) return true;
  const bool control = control_ && settles(*control_, again.since);
  if (of_control || again.why == SentAgain::transport_timeout) return control;
  const auto fate = rules_.fate ? rules_.fate(pending != nullptr ? pending->key : again.key) : std::nullopt;
  if (!fate) return false;
  const Time* last = fates_.find(*fate);
  return control || (last != nullptr && settles(*last, again.since));
}

std::string ServedOracle::described(const Observation& observation, const SentAgainView& again,
                                    const Pending* pending) const {
  std::string who;
  if (pending != nullptr) {
    who = fmt::format("{} {} on key {}, begun at {},", to_string(pending->kind),
                      event_log_.operation(observation.operation, pending->session), printed_key(pending->key),
                      printed(pending->began));
  } else if (observation.operation != 0) {
    who = fmt::format("a message of {} for {}, which is over,", event_log_.name(observation.source),
                      event_log_.operation(observation.operation));
  } else {
    who = fmt::format("a control request of {} about key {}", event_log_.name(observation.source),
                      printed_key(again.key));
  }
  const char* what = again.given_up                              ? "was given up"
                     : again.why == SentAgain::transport_timeout ? "was sent again by the NIC"
                                                                 : "was sent again";
  return fmt::format("{} {}: what was sent at {} got no answer in time, and no fault explains it", who, what,
                     printed(again.since));
}

void ServedOracle::finish(Time end) {
  if (pending_.size() == 0) return;
  violated(end, fmt::format("{} operations that had begun were left unserved", pending_.size()));
}

}  // namespace racksim::sim
