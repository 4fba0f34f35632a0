// Answers: every request is answered with what it asked for, and once.
//
// Operations that are never answered are the progress oracle's business (progress_oracle.hpp).
#pragma once

#include <cstdint>
#include <optional>

#include "sim/oracles/oracle.hpp"
#include "sim/record/history.hpp"

namespace racksim::sim {

/// Reads stray answers. As "returned-key" it objects to an operation that ended with another key's value; as
/// "answered-once" to a request that was answered again. Whoever asks again may be answered twice, and so may a request
/// whose packets a fault has touched: from the first of either on nothing is judged.
class AnswerOracle final : public Oracle {
 public:
  /// `event_log` gives the names of sessions and must outlive the oracle. Nothing is judged unless `judges_run`: who is no
  /// store tells of no stray answer, and where wires make copies each is answered.
  AnswerOracle(StrayAnswer objects_to, const EventLog& event_log, bool judges_run = true);

  ObservedKinds kinds() const override { return {Observed::disturbance, Observed::sent_again, Observed::stray_answer}; }
  void observe(const Observation& observation) override;
  /// All that ended.
  std::uint64_t judged() const override {
    return !judges_run_ ? 0 : excused_ ? *excused_ : event_log_.count(Observed::operation_ended);
  }

 private:
  void excuse(const Observation& observation);

  StrayAnswer objects_to_;
  const EventLog& event_log_;
  bool judges_run_;
  std::optional<std::uint64_t> excused_;  // what had ended when second answers ceased to be mistakes
};

}  // namespace racksim::sim
