#include "sim/checkers/history_oracle.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "sim/checkers/linearizability_search.hpp"
#include "sim/checkers/program_order.hpp"
#include "sim/checkers/register_zones.hpp"
#include "sim/checkers/sequential_search.hpp"
#include "sim/checkers/session_order.hpp"

namespace racksim::sim::checkers {
namespace {

Outcome linearizable(const KeyHistory& history) {
  auto outcome = check_linearizable_register(history.operations, history.initial);
  if (outcome.verdict != Verdict::undecided) return outcome;
  return search_linearizable(history.operations, RegisterSpecification(), history.initial);
}

/// The outcome of a check that takes sessions to do one operation at a time, told with the sessions that there were.
template <class Judge>
Outcome by_sessions(const KeyHistory& history, Judge judge) {
  const auto programs = one_at_a_time(history.operations);
  Outcome outcome = judge(Operations(programs.operations));
  for (auto& operation : outcome.operations) operation.session = programs.session_of[operation.session];
  return outcome;
}

Outcome sequential(const KeyHistory& history) {
  return by_sessions(history, [&](Operations operations) {
    auto outcome = check_sequential_register(operations, history.initial);
    if (outcome.verdict != Verdict::undecided) return outcome;
    return search_sequential(operations, RegisterSpecification(), {{history.key, history.initial}});
  });
}

Outcome sessions(const KeyHistory& history) {
  return by_sessions(history, [&](Operations operations) {
    for (const auto guarantee : kSessionGuarantees) {
      auto outcome = check_session_guarantee(operations, history.initial, guarantee);
      if (outcome.verdict != Verdict::pass) return outcome;
    }
    return Outcome{};
  });
}

Outcome stale_read(const KeyHistory& history) {
  return check_no_stale_read(history.operations, history.initial);
}

constexpr HistoryCheck kChecks[] = {
    {"linearizable", linearizable}, {"sequential", sequential}, {"sessions", sessions}, {"stale-read", stale_read}};

/// When the last of these operations ended, or began if it never did.
Time last_instant(const std::vector<Operation>& operations, Time otherwise) {
  if (operations.empty()) return otherwise;
  Time last;
  for (const auto& operation : operations)
    last = std::max(last, operation.pending() ? operation.invoked_at : operation.responded_at);
  return last;
}

}  // namespace

std::span<const HistoryCheck> history_checks() {
  return kChecks;
}

HistoryOracle::HistoryOracle(const HistoryCheck& check, HistoryRecorder& recorder, const EventLog& event_log)
    : Oracle(std::string(check.name), "operation"), check_(check), recorder_(recorder), event_log_(event_log) {}

void HistoryOracle::finish(Time end) {
  const auto histories = recorder_.by_key();
  if (histories.empty() && recorder_.dropped_operations() > 0) {
    violated("undecided", end,
             fmt::format("{}: no key that was used could be judged; {} operations were not recorded", name(),
                         recorder_.dropped_operations()));
  }
  const auto names = [this](std::uint32_t session) { return event_log_.called(Source{session}); };
  for (const auto& history : histories) {
    const auto outcome = check_.judge(history);
    if (outcome.verdict == Verdict::pass) continue;
    const auto at = last_instant(outcome.operations, end);
    const auto what = keeps_more() ? fmt::format("key {}: {}", history.key, explained(outcome, names)) : std::string();
    if (outcome.verdict == Verdict::fail) {
      violated(at, what);
    } else {
      violated("undecided", at, fmt::format("{}: {}", name(), what));
    }
  }
}

}  // namespace racksim::sim::checkers
