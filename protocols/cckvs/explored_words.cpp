// Steps and states of the exploration in words. See explored_caches.hpp.
#include <fmt/format.h>

#include "protocols/cckvs/explored_caches.hpp"

namespace racksim::cckvs {

std::string ExploredCaches::in_words(Timestamp timestamp) {
  return fmt::format("{}.{}", timestamp.version, timestamp.node);
}

std::string ExploredCaches::in_words(const Flight& flight) {
  constexpr const char* kNames[] = {"INV", "ACK", "UPD"};
  std::string text = fmt::format("{} {}", kNames[static_cast<std::size_t>(flight.kind)], in_words(flight.timestamp()));
  if (flight.kind == Flight::Kind::update) text += fmt::format(" with {}", flight.value);
  return text + fmt::format(" from node {} to node {}", flight.from, flight.to);
}

std::string ExploredCaches::step_in_words(std::string_view bytes, std::size_t number) {
  now_ = ExploredState::decoded(bytes, options_.judges_linearizations());
  const Step step = steps_of(now_).at(number);
  const bool due = now_.flights.empty();
  std::string text;
  switch (step.kind) {
    case Step::Kind::get:
      text = fmt::format("session {} gets at node {}", step.index, step.node);
      break;
    case Step::Kind::put:
      text = options_.clients ? fmt::format("session {} puts {} at node {}", step.index, now_.puts + 1, step.node)
                              : fmt::format("node {} begins a put", step.node);
      break;
    case Step::Kind::deliver:
      text = fmt::format("{} arrives", in_words(now_.flights[step.index]));
      break;
    case Step::Kind::lose:
      text = fmt::format("{} is lost", in_words(now_.flights[step.index]));
      break;
    case Step::Kind::duplicate:
      text = fmt::format("{} is duplicated", in_words(now_.flights[step.index]));
      break;
    case Step::Kind::timeout:
      text = fmt::format("node {} has waited long enough{}", step.node, due ? "" : " (spurious)");
      break;
  }
  telling_ = true;
  told_.clear();
  take(step);
  telling_ = false;
  for (std::size_t i = 0; i < told_.size(); ++i) text += (i == 0 ? ": " : "; ") + told_[i];
  return text;
}

std::string ExploredCaches::state_in_words(std::string_view bytes) {
  constexpr const char* kStates[] = {"Valid", "Invalid", "Write"};
  const ExploredState state = ExploredState::decoded(bytes, options_.judges_linearizations());
  std::string text;
  for (std::size_t node = 0; node < state.copies.size(); ++node) {
    const Entry& entry = state.copies[node].entry;
    text += fmt::format("{}node {} {} {} with {}", node == 0 ? "" : "; ", node,
                        kStates[static_cast<std::size_t>(entry.header.state)], in_words(entry.header.timestamp()),
                        entry.value);
  }
  for (std::size_t session = 0; session < state.sessions.size(); ++session) {
    const Session& one = state.sessions[session];
    if (one.pending == Session::Pending::get) text += fmt::format("; session {} waits for its get", session);
    if (one.pending == Session::Pending::put) text += fmt::format("; session {} waits for put {}", session, one.value);
  }
  for (const Flight& flight : state.flights) text += "; under way " + in_words(flight);
  return text;
}

}  // namespace racksim::cckvs
