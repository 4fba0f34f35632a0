// Steps and states of the exploration in words. See explored_caches.hpp.
#include <fmt/format.h>

#include "protocols/cckvs/explored/explored_caches.hpp"

namespace racksim::cckvs {

std::string ExploredCaches::in_words(Timestamp timestamp) {
  return fmt::format("{}.{}", timestamp.version, timestamp.node);
}

std::string ExploredCaches::in_words(const Flight& flight) {
  std::string text = fmt::format("{} {}", name_of(flight.type), in_words(flight.timestamp()));
  if (flight.type == CacheMessage::Type::update) text += fmt::format(" with {}", flight.value);
  return text + fmt::format(" from node {} to node {}", flight.from, flight.to);
}

std::string ExploredCaches::in_words(const Control& control) {
  std::string text = name_of(control.message);
  if (control.copy) text += fmt::format(" {} with {}", in_words(control.copy->timestamp), control.copy->value);
  return text + fmt::format(" from node {} to node {}", control.from, control.to);
}

std::string ExploredCaches::step_in_words(std::string_view bytes, std::size_t number) {
  now_ = ExploredState::decoded(bytes, scope_);
  const Step step = steps_of(now_).at(number);
  std::string text;
  switch (step.action) {
    case Step::Action::get:
      text = fmt::format("session {} gets at node {}", step.index, step.node);
      break;
    case Step::Action::put:
      text = options_.clients ? fmt::format("session {} puts {} at node {}", step.index, now_.puts + 1, step.node)
                              : fmt::format("node {} begins a put", step.node);
      break;
    case Step::Action::request:
      text = fmt::format("the request of session {} reaches the home, node {}", step.index, step.node);
      break;
    case Step::Action::answer:
      text = fmt::format("the home's answer reaches node {}", step.node);
      break;
    case Step::Action::deliver:
      text = fmt::format("{} arrives", in_words(now_.flights[step.index]));
      break;
    case Step::Action::lose:
      text = fmt::format("{} is lost", in_words(now_.flights[step.index]));
      break;
    case Step::Action::duplicate:
      text = fmt::format("{} is duplicated", in_words(now_.flights[step.index]));
      break;
    case Step::Action::control:
      text = fmt::format("{} arrives", in_words(now_.controls[step.index]));
      break;
    case Step::Action::timeout:
      text = fmt::format("node {} has waited long enough{}", step.node, is_still(now_) ? "" : " (spurious)");
      break;
    case Step::Action::change:
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
  // As the tables call them.
  const auto name = [](const auto& table, auto state) {
    return table.description().states[static_cast<std::size_t>(state)];
  };
  const ExploredState::Copy& copy = state.copies[node];
  std::string text = fmt::format("node {}", node);
  if (scope_.hand_overs) {
    text +=
        " " + (node == home_ ? name(home_table(), copy.hand_over.home) : name(member_table(), copy.hand_over.member));
  }
  if (!copy.entry) return text;
  const Header& header = copy.entry->header;
  return text + fmt::format(" {} {} with {}", name(lin_table(), header.state), in_words(header.timestamp()),
                            copy.entry->value);
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
