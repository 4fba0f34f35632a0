// Steps and states of the exploration in words. See explored_caches.hpp.
#include <fmt/format.h>

#include "protocols/cckvs/explored/explored_caches.hpp"

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

std::string ExploredCaches::in_words(const Control& control) {
  constexpr const char* kNames[] = {"INSTALL", "ACTIVATE", "SEAL", "DONE", "INSTALLED", "SEALED"};
  std::string text = kNames[static_cast<std::size_t>(control.kind)];
  if (control.copy) text += fmt::format(" {} with {}", in_words(control.copy->timestamp), control.copy->value);
  return text + fmt::format(" from node {} to node {}", control.from, control.to);
}

std::string ExploredCaches::step_in_words(std::string_view bytes, std::size_t number) {
  now_ = ExploredState::decoded(bytes, scope_);
  const Step step = steps_of(now_).at(number);
  std::string text;
  switch (step.kind) {
    case Step::Kind::get:
      text = fmt::format("session {} gets at node {}", step.index, step.node);
      break;
    case Step::Kind::put:
      text = options_.clients ? fmt::format("session {} puts {} at node {}", step.index, now_.puts + 1, step.node)
                              : fmt::format("node {} begins a put", step.node);
      break;
    case Step::Kind::request:
      text = fmt::format("the request of session {} reaches the home, node {}", step.index, step.node);
      break;
    case Step::Kind::answer:
      text = fmt::format("the home's answer reaches node {}", step.node);
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
    case Step::Kind::control:
      text = fmt::format("{} arrives", in_words(now_.controls[step.index]));
      break;
    case Step::Kind::timeout:
      text = fmt::format("node {} has waited long enough{}", step.node, is_still(now_) ? "" : " (spurious)");
      break;
    case Step::Kind::change:
      text = fmt::format("the home, node {}, is ordered to hand the key over", step.node);
      break;
  }
  telling_ = true;
  told_.clear();
  take_step(step);
  telling_ = false;
  for (std::size_t i = 0; i < told_.size(); ++i) text += (i == 0 ? ": " : "; ") + told_[i];
  return text;
}

std::string ExploredCaches::copy_in_words(const ExploredState& state, NodeId node) const {
  constexpr const char* kStates[] = {"Valid", "Invalid", "Write"};
  constexpr const char* kHomeStates[] = {"Store", "Installing", "Cached", "Sealing"};
  constexpr const char* kMemberStates[] = {"Absent", "Installed", "Active", "Sealing", "Sealed", "Leaving"};
  const ExploredState::Copy& copy = state.copies[node];
  std::string text = fmt::format("node {}", node);
  if (scope_.hand_overs) {
    text += fmt::format(" {}", node == home_ ? kHomeStates[static_cast<std::size_t>(copy.part.home)]
                                             : kMemberStates[static_cast<std::size_t>(copy.part.member)]);
  }
  if (!copy.entry) return text;
  const Header& header = copy.entry->header;
  return text + fmt::format(" {} {} with {}", kStates[static_cast<std::size_t>(header.state)],
                            in_words(header.timestamp()), copy.entry->value);
}

std::string ExploredCaches::state_in_words(std::string_view bytes) {
  const ExploredState state = ExploredState::decoded(bytes, scope_);
  std::string text;
  for (NodeId node = 0; node < state.copies.size(); ++node) {
    text += (node == 0 ? "" : "; ") + copy_in_words(state, node);
  }
  if (scope_.hand_overs) {
    text += fmt::format("; the store has {} with {}", in_words(state.stored.timestamp), state.stored.value);
  }
  for (std::size_t session = 0; session < state.sessions.size(); ++session) {
    const Session& one = state.sessions[session];
    if (one.pending == Session::Pending::get) text += fmt::format("; session {} waits for its get", session);
    if (one.pending == Session::Pending::put) text += fmt::format("; session {} waits for put {}", session, one.value);
  }
  for (const Flight& flight : state.flights) text += "; under way " + in_words(flight);
  for (const Control& control : state.controls) text += "; under way " + in_words(control);
  return text;
}

}  // namespace racksim::cckvs
