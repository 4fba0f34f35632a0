#include "sim/oracles/torn_oracle.hpp"

#include <fmt/core.h>

namespace racksim::sim {

namespace {
std::string flaw_of(const StrayAnswerView& answer) {
  switch (answer.kind) {
    case StrayAnswer::foreign_part:
      return fmt::format("with a part of key {}", printed_key(Key{answer.answered}));
    case StrayAnswer::mixed_parts:
      return fmt::format("with a part of another value, {}", answer.answered);
    default:
      return fmt::format("of which {} bytes came, too few", answer.answered);
  }
}
}  // namespace

void TornOracle::observe(const Observation& observation) {
  if (observation.what != Observed::stray_answer) return;
  const auto answer = StrayAnswerView::of(observation);
  if (answer.kind == StrayAnswer::wrong_key || answer.kind == StrayAnswer::repeated) return;
  if (!keeps_more()) return violated(observation.at, {});
  violated(observation.at,
           fmt::format("{} read item {} {}", event_log_.operation(observation.operation, observation.source),
                       printed_key(answer.key), flaw_of(answer)),
           {answer.key, {observation.operation}});
}

}  // namespace racksim::sim
