#include "sim/oracles/answer_oracle.hpp"

#include <fmt/core.h>

namespace racksim::sim {

AnswerOracle::AnswerOracle(StrayAnswer objects_to, const EventLog& event_log, bool judges_run)
    : Oracle(objects_to == StrayAnswer::wrong_key ? "returned-key" : "answered-once", "operation"),
      objects_to_(objects_to),
      event_log_(event_log),
      judges_run_(judges_run) {}

void AnswerOracle::observe(const Observation& observation) {
  if (!judges_run_) return;
  if (observation.what == Observed::disturbance || observation.what == Observed::sent_again) return excuse(observation);
  if (observation.what != Observed::stray_answer || excused_) return;
  const auto answer = StrayAnswerView::of(observation);
  if (answer.kind != objects_to_) return;
  if (!keeps_more()) return violated(observation.at, {});
  if (objects_to_ == StrayAnswer::wrong_key) {
    return violated(observation.at,
                    fmt::format("{} asked for key {} and ended with key {}",
                                event_log_.operation(observation.operation, observation.source),
                                printed_key(answer.key), printed_key(Key{answer.answered})),
                    {answer.key, {observation.operation}});
  }
  violated(observation.at,
           fmt::format("{} got another answer about key {} to a request that was over",
                       event_log_.called(observation.source), printed_key(Key{answer.answered})),
           {Key{answer.answered}, {}});
}

// Whoever asks again about a wrong item, or after a refusal, may still get other packets of the first answer.
void AnswerOracle::excuse(const Observation& observation) {
  if (objects_to_ == StrayAnswer::wrong_key || excused_) return;
  const bool again = observation.what == Observed::sent_again;
  if (!again && DisturbanceView::of(observation).kind == Disturbance::healed) return;
  excused_ = event_log_.count(Observed::operation_ended);
}

}  // namespace racksim::sim
