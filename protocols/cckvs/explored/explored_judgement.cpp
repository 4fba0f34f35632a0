// What the exploration judges of a state, and of SC's histories. See explored_caches.hpp.
#include <fmt/format.h>

#include <algorithm>

#include "protocols/cckvs/explored/explored_caches.hpp"
#include "sim/checkers/sequential_search.hpp"

namespace racksim::cckvs {

void ExploredCaches::expand(std::string_view bytes, sim::Steps& steps) {
  const ExploredState state = ExploredState::decoded(bytes, scope_);
  const std::string wrong = wrong_with(state);
  if (!wrong.empty()) return steps.set_wrong(wrong);
  const bool at_end = all_done(state) && is_quiet(state);
  if (at_end) steps.set_end();
  for (const Step& step : steps_of(state)) {
    now_ = state;
    take_step(step);
    if (wrong_.empty()) {
      steps.add(now_.encoded(scope_));
    } else {
      steps.add_wrong(wrong_);
    }
  }
  if (steps.size() == 0 && !at_end) {
    steps.set_wrong(all_done(state) ? "all has come to rest, and copies differ or are not Valid, or a put is lost"
                                    : "all has come to rest, and an operation waits");
  }
}

std::string ExploredCaches::wrong_with(const ExploredState& state) const {
  if (!options_.is_lin() || !options_.invariants) return "";
  for (NodeId node = 0; node < state.copies.size(); ++node) {
    if (!is_readable(state, node)) continue;
    const Entry& copy = *state.copies[node].entry;
    for (NodeId other = 0; other < node; ++other) {
      if (!is_readable(state, other)) continue;
      const Entry& its = *state.copies[other].entry;
      if (its.header.timestamp() == copy.header.timestamp() && its.value == copy.value) continue;
      return fmt::format("Valid copies differ: those of nodes {} and {}", other, node);
    }
    if (copy.header.timestamp() != state.committed) {
      return fmt::format("the Valid copy of node {} is not of the last committed put, {}", node,
                         in_words(state.committed));
    }
  }
  return "";
}

bool ExploredCaches::is_readable(const ExploredState& state, NodeId node) const {
  const ExploredState::Copy& copy = state.copies[node];
  if (!copy.entry || copy.entry->header.state != CacheState::valid) return false;
  return !scope_.hand_overs || copy.hand_over.uses_copy();
}

bool ExploredCaches::all_done(const ExploredState& state) const {
  return std::all_of(state.sessions.begin(), state.sessions.end(), [this](const Session& session) {
    return session.pending == Session::Pending::none && session.begun == options_.operations;
  });
}

bool ExploredCaches::is_still(const ExploredState& state) {
  const auto travels = [](const Session& session) {
    using Stage = Session::Stage;
    return session.pending != Session::Pending::none &&
           (session.stage == Stage::request || session.stage == Stage::answer);
  };
  return state.flights.empty() && state.controls.empty() &&
         std::none_of(state.sessions.begin(), state.sessions.end(), travels);
}

bool ExploredCaches::is_quiet(const ExploredState& state) const {
  if (!is_still(state)) return false;
  if (scope_.hand_overs && state.copies[home_].hand_over.home == HomeState::store) {
    const auto is_absent = [](const ExploredState::Copy& copy) {
      return !copy.entry && copy.hand_over.member == MemberState::absent;
    };
    return state.stored.timestamp == state.committed &&
           std::all_of(state.copies.begin(), state.copies.end(), is_absent);
  }
  for (NodeId node = 0; node < state.copies.size(); ++node) {
    const ExploredState::Copy& copy = state.copies[node];
    if (!is_readable(state, node) || !copy.work.empty()) return false;
    if (copy.entry->header.timestamp() != state.committed || copy.entry->value != state.copies[0].entry->value) {
      return false;
    }
  }
  return true;
}

// Each history is judged once.
void ExploredCaches::note_result(std::size_t session, std::uint8_t result) {
  now_.sessions[session].results.push_back(result);
  if (!all_done(now_)) return;
  std::string history;
  for (const Session& one : now_.sessions) {
    history += static_cast<char>(one.results.size());
    history.append(one.results.begin(), one.results.end());
  }
  auto [verdict, is_new] = verdicts_.try_emplace(std::move(history));
  if (is_new) verdict->second = judged(now_.sessions);
  if (!verdict->second.empty()) wrong_ = verdict->second;
}

// Real time does not count: the sessions' operations are put one session after the other.
std::string ExploredCaches::judged(const std::vector<Session>& sessions) {
  namespace checkers = sim::checkers;
  std::vector<checkers::Operation> operations;
  std::string text = "not sequentially consistent:";
  for (std::size_t session = 0; session < sessions.size(); ++session) {
    text += fmt::format("{} session {}:", session == 0 ? "" : ";", session);
    for (const std::uint8_t result : sessions[session].results) {
      const bool is_put = (result & kPutResult) != 0;
      const auto value = static_cast<std::uint8_t>(result & ~kPutResult);
      checkers::Operation operation;
      operation.id = operations.size() + 1;
      operation.session = static_cast<std::uint32_t>(session);
      operation.action = is_put ? checkers::Action::write : checkers::Action::read;
      (is_put ? operation.argument : operation.result) = value;
      operation.invoked = operations.size() * 2 + 1;
      operation.responded = operations.size() * 2 + 2;
      operations.push_back(operation);
      text += fmt::format(" {} {}", is_put ? "put" : "get", value);
    }
  }
  const auto outcome = checkers::search_sequential(operations, checkers::RegisterSpecification());
  return outcome.verdict == checkers::Verdict::pass ? "" : text;
}

}  // namespace racksim::cckvs
