// The states and steps of the exploration, and what is judged. See explored_line.hpp.
#include "protocols/selcc/explored/explored_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "sim/kernel/invariant.hpp"

namespace racksim::selcc {

namespace {

const sim::Registration<sim::ExplorationEntry> entry({
    .name = "selcc",
    .doc = "SELCC: one line and its latch word, and four of 58 compute nodes, by late atomics and messages",
    .make_options = [] { return std::make_unique<ExploreOptions>(); },
});

}  // namespace

ExploredLine::ExploredLine(const ExploreOptions& options) : options_(options) {
  const auto programs = options_.parsed_programs();
  for (std::size_t i = 0; i < programs.size(); ++i) {
    nodes_.push_back(std::make_unique<ExploredNode>(options_, ExploreOptions::kNodes[i], programs[i], counters_,
                                                    calendar_, messages_));
  }
  initial_ = saved();
}

template <class Archive>
void ExploredLine::archive(Archive& archive) {
  archive(word_, evictions_);
  for (auto& node : nodes_) node->archive(archive);
  std::sort(messages_.begin(), messages_.end());
  archive.list(messages_, [&](ExploredMessage& one) { one.archive(archive); });
}

ExploredNode& ExploredLine::node(NodeId id) {
  return **std::find_if(nodes_.begin(), nodes_.end(), [&](const auto& node) { return node->id() == id; });
}

void ExploredLine::expand(std::string_view state, sim::Steps& steps) {
  load(state);
  if (std::string wrong = wrong_here(); !wrong.empty()) return steps.set_wrong(std::move(wrong));
  const auto is_over = [](const auto& node) { return node->is_over(); };
  if (at_rest() && std::all_of(nodes_.begin(), nodes_.end(), is_over)) steps.set_end();
  list_steps();
  for (const Step& step : steps_) {
    load(state);
    const sim::InvariantChecks checked(true);
    try {
      act(step);
    } catch (const std::exception& broken) {
      steps.add_wrong(broken.what());
      continue;
    }
    steps.add(saved());
  }
}

// Of two messages that are alike one is enough.
void ExploredLine::list_steps() {
  steps_.clear();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const ExploredNode& node = *nodes_[i];
    if (node.may_begin()) steps_.push_back({Step::Action::begin, i});
    if (node.phase() == ExploredNode::Phase::uses) steps_.push_back({Step::Action::end_use, i});
    if (evictions_ < options_.evictions && node.may_evict()) steps_.push_back({Step::Action::evict, i});
    if (node.pauses()) steps_.push_back({Step::Action::end_pause, i});
    for (std::size_t queue_pair = 0; queue_pair < ExploredNode::kQueuePairs; ++queue_pair) {
      if (!node.posted(queue_pair).empty()) steps_.push_back({Step::Action::carry_out, i, queue_pair});
      if (!node.done(queue_pair).empty()) steps_.push_back({Step::Action::complete, i, queue_pair});
    }
  }
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    if (i == 0 || messages_[i] != messages_[i - 1]) steps_.push_back({Step::Action::deliver, i});
  }
}

void ExploredLine::act(const Step& step) {
  const auto perform = [&](ExploredNode& node) {
    switch (step.action) {
      case Step::Action::begin:
        return node.begin();
      case Step::Action::end_use:
        return node.end_use();
      case Step::Action::evict:
        ++evictions_;
        return node.evict();
      case Step::Action::end_pause:
        return node.end_pause();
      case Step::Action::carry_out:
        return node.carry_out(step.queue_pair, word_);
      case Step::Action::complete:
        return node.complete(step.queue_pair);
      case Step::Action::deliver: {
        const ExploredMessage message = messages_[step.index];
        messages_.erase(messages_.begin() + static_cast<std::ptrdiff_t>(step.index));
        return node.deliver(message);
      }
    }
  };
  ExploredNode& actor = step.action == Step::Action::deliver ? node(messages_[step.index].to) : *nodes_[step.index];
  perform(actor);
  actor.go_on();
}

bool ExploredLine::at_rest() const {
  return messages_.empty() &&
         std::all_of(nodes_.begin(), nodes_.end(), [](const auto& node) { return node->at_rest(); });
}

std::string ExploredLine::wrong_here() const {
  unsigned readers = 0, writers = 0;
  std::uint64_t sum = 0;
  for (const auto& node : nodes_) {
    const sim::Permission permission = permission_of(node->frame().state);
    readers += permission == sim::Permission::read ? 1 : 0;
    writers += permission == sim::Permission::write ? 1 : 0;
    sum += node->contribution();
  }
  if (writers > 1 || (writers == 1 && readers > 0)) {
    return fmt::format("single writer: {} nodes may write and {} others may read", writers, readers);
  }
  if (at_rest() && word_ != sum) return fmt::format("at rest: the word is {:#x}, its holders make {:#x}", word_, sum);
  return "";
}

std::vector<sim::ExplorationOptions::Part> ExploreOptions::build() const {
  std::vector<Part> parts;
  parts.push_back({"line", std::make_unique<ExploredLine>(*this)});
  return parts;
}

}  // namespace racksim::selcc
