// Steps and states of the exploration in words. See explored_line.hpp.
#include <fmt/format.h>

#include <exception>

#include "protocols/selcc/explored/explored_line.hpp"

namespace racksim::selcc {

namespace {

constexpr const char* kQueuePairs[] = {"thread", "handler", "evictor"};

std::string in_words(const ExploredVerb& verb) {
  return verb.swaps ? fmt::format("CAS of {:#x} to {:#x}", verb.compare, verb.value)
                    : fmt::format("FAA of {:#x}", verb.value);
}

std::string in_words(const ExploredMessage& message) {
  switch (message.type) {
    case ExploredMessage::Type::invalidation:
      return fmt::format("node {}'s invalidation{}, case {}, for node {}", message.from,
                         message.tries ? " by a try" : "", static_cast<int>(message.conflict), message.to);
    case ExploredMessage::Type::answer:
      return fmt::format("node {}'s {} for node {}", message.from, to_string(message.verdict), message.to);
    case ExploredMessage::Type::sent:
      break;
  }
  return fmt::format("node {}'s completion of the line that it has sent", message.from);
}

std::string name_of(FrameState state) {
  return std::string(frame_table().description().states[static_cast<std::size_t>(state)]);
}

}  // namespace

std::string ExploredLine::step_in_words(std::string_view state, std::size_t number) {
  load(state);
  list_steps();
  const Step step = steps_.at(number);
  std::string text = in_words(step);
  load(state);
  try {
    act(step);
  } catch (const std::exception&) {
    return text;
  }
  if (step.action == Step::Action::carry_out) text += fmt::format(": the word is {:#x}", word_);
  if (step.action == Step::Action::complete || step.action == Step::Action::deliver) {
    std::string states;
    for (const auto& node : nodes_) {
      if (node->frame().state != FrameState::absent) {
        states += fmt::format("{}node {} {}", states.empty() ? ": " : ", ", node->id(), name_of(node->frame().state));
      }
    }
    text += states;
  }
  return text;
}

std::string ExploredLine::in_words(const Step& step) {
  if (step.action == Step::Action::deliver) return selcc::in_words(messages_[step.index]) + " arrives";
  const ExploredNode& node = *nodes_[step.index];
  switch (step.action) {
    case Step::Action::begin:
      return fmt::format("node {} begins to {}{}", node.id(), node.tries() ? "try to " : "",
                         node.writes() ? "write" : "read");
    case Step::Action::end_use:
      return fmt::format("node {} has used the line", node.id());
    case Step::Action::evict:
      return fmt::format("node {} evicts the line", node.id());
    case Step::Action::end_pause:
      return fmt::format("node {} tries again", node.id());
    case Step::Action::carry_out:
      return fmt::format("node {}'s {} by its {} is carried out", node.id(),
                         selcc::in_words(node.posted(step.queue_pair).front()), kQueuePairs[step.queue_pair]);
    case Step::Action::complete:
      return fmt::format("node {} sees that it has found {:#x}", node.id(), node.done(step.queue_pair).front().found);
    case Step::Action::deliver:
      break;
  }
  return "";
}

std::string ExploredLine::state_in_words(std::string_view state) {
  load(state);
  std::string text = fmt::format("the word is {:#x}", word_);
  for (const auto& node : nodes_) {
    text += fmt::format("; node {} {}", node->id(), name_of(node->frame().state));
    for (std::size_t queue_pair = 0; queue_pair < ExploredNode::kQueuePairs; ++queue_pair) {
      for (const ExploredVerb& verb : node->posted(queue_pair)) {
        text += fmt::format(", {} under way by its {}", selcc::in_words(verb), kQueuePairs[queue_pair]);
      }
    }
  }
  for (const ExploredMessage& message : messages_) text += "; under way: " + selcc::in_words(message);
  return text;
}

}  // namespace racksim::selcc
