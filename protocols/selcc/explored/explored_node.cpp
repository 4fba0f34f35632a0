// What a node of the exploration does in a step. See explored_node.hpp.
#include "protocols/selcc/explored/explored_node.hpp"

#include <algorithm>
#include <utility>

namespace racksim::selcc {

using models::Opcode;
using models::WorkRequest;

ExploredNode::ExploredNode(const ExploreOptions& options, NodeId id, std::string program, Counters& counters,
                           sim::Calendar& calendar, std::vector<ExploredMessage>& messages)
    : options_(options.selcc),
      program_(std::move(program)),
      uses_take_time_(options.uses),
      messages_(messages),
      works_(calendar),
      lines_({.options = options.selcc,
              .counters = counters,
              .coverage = {},
              .id = id,
              .compute_nodes = ExploreOptions::kComputeNodes,
              .cache = cache_,
              .works = works_,
              .verbs = *this,
              .host = *this}),
      frame_(cache_.take(kLine)) {}

bool ExploredNode::at_rest() const {
  const auto empty = [](const auto& queue) { return queue.empty(); };
  return phase_ == Phase::idle && !frame_->attended && std::all_of(posted_.begin(), posted_.end(), empty) &&
         std::all_of(done_.begin(), done_.end(), empty);
}

std::uint64_t ExploredNode::contribution() const {
  switch (permission_of(frame_->state)) {
    case sim::Permission::read:
      return LatchWord::shared(id());
    case sim::Permission::write:
      return LatchWord::modified(id());
    case sim::Permission::none:
      break;
  }
  return 0;
}

// As a thread that finds the local latch free (line_cache/caching_node.hpp).
void ExploredNode::begin() {
  const bool write = writes(), tried = tries();
  ++begun_;
  const bool hit = write ? writable(frame_->state) : readable(frame_->state);
  frame_->latch = write || !readable(frame_->state) ? Frame::kExclusive : std::int16_t{1};
  phase_ = Phase::acquires;
  if (!hit) works_.of(*frame_).begin_acquisition(0, 0, tried);
  raise(write ? FrameEvent::write : FrameEvent::read, kLine, frame_);
}

void ExploredNode::go_on() {
  const bool write = phase_ != Phase::idle && writes();
  if (phase_ == Phase::acquires && frame_->attended && works_.of(*frame_).refused) {
    end_use();
  } else if (phase_ == Phase::acquires && (write ? writable(frame_->state) : readable(frame_->state))) {
    phase_ = Phase::uses;
    if (!write) frame_->latch = 1;
    if (!uses_take_time_) end_use();
  }
  if (!is_stable(frame_->state) || frame_->latch != 0 || !frame_->attended) return;
  if (works_.of(*frame_).deferred.empty()) works_.end(*frame_);
}

void ExploredNode::end_use() {
  phase_ = Phase::idle;
  frame_->latch = 0;
  if (frame_->attended) latch_freed(*frame_);
}

void ExploredNode::evict() {
  std::vector<WorkRequest> batch;
  raise(FrameEvent::evict, kLine, frame_, nullptr, &batch);
  post(kEvictor, batch);
}

void ExploredNode::carry_out(std::size_t queue_pair, std::uint64_t& word) {
  ExploredVerb verb = posted_[queue_pair].front();
  posted_[queue_pair].erase(posted_[queue_pair].begin());
  verb.found = word;
  if (!verb.swaps) {
    word += verb.value;
  } else if (word == verb.compare) {
    word = verb.value;
  }
  if (!is_waited_for(verb.purpose)) return;
  verb.compare = verb.value = 0;
  done_[queue_pair].push_back(verb);
}

// As ComputeNode::completed.
void ExploredNode::complete(std::size_t queue_pair) {
  const ExploredVerb verb = done_[queue_pair].front();
  done_[queue_pair].erase(done_[queue_pair].begin());
  switch (verb.purpose) {
    case Purpose::latch_word:
    case Purpose::latch_line:
      return lines_.take_word(*works_.find(kLine), verb.found);
    case Purpose::undo_waited:
      return raise(FrameEvent::undone, kLine, frame_);
    case Purpose::fall_back:
      return raise(FrameEvent::released, kLine, frame_);
    case Purpose::hand_over:
    case Purpose::share:
      if (options_.confirm) confirm({.purpose = verb.purpose, .line = kLine, .peer = verb.peer, .number = verb.number});
      return lines_.given_part_done(kLine);
    default:
      return;
  }
}

void ExploredNode::deliver(const ExploredMessage& message) {
  switch (message.type) {
    case ExploredMessage::Type::invalidation:
      return lines_.handle({.line = kLine,
                            .number = message.number,
                            .sender = message.from,
                            .conflict = message.conflict,
                            .tries = message.tries});
    case ExploredMessage::Type::answer:
      if (message.verdict == Verdict::landed) return lines_.confirmed(kLine, message.number);
      return lines_.take_answer({.line = kLine, .number = message.number, .verdict = message.verdict}, {});
    case ExploredMessage::Type::sent:
      return lines_.given_part_done(kLine);
  }
}

WorkRequest ExploredNode::atomic(Opcode opcode, std::uint64_t compare, std::uint64_t value, const Posted& posted) {
  noted_.push_back(posted);
  return {.opcode = opcode, .compare = compare, .swap_or_add = value, .wr_id = noted_.size()};
}

// What is written to memory is not followed: lines have no values here.
void ExploredNode::post(std::size_t queue_pair, std::span<const WorkRequest> requests) {
  for (const WorkRequest& request : requests) {
    if (request.opcode != Opcode::compare_swap && request.opcode != Opcode::fetch_add) continue;
    const Posted& posted = noted_.at(request.wr_id - 1);
    posted_[queue_pair].push_back({.swaps = request.opcode == Opcode::compare_swap,
                                   .compare = request.compare,
                                   .value = request.swap_or_add,
                                   .purpose = posted.purpose,
                                   .peer = posted.peer,
                                   .number = posted.number});
  }
  noted_.clear();
}

bool ExploredNode::has_atomic_of(sim::Key) const {
  const auto some = [](const auto& queue) { return !queue.empty(); };
  return std::any_of(posted_.begin(), posted_.end(), some) || std::any_of(done_.begin(), done_.end(), some);
}

// Nodes that are not among the actors have nothing.
void ExploredNode::send(NodeId to, const Invalidation& message) {
  const auto& actors = ExploreOptions::kNodes;
  if (std::find(actors.begin(), actors.end(), to) != actors.end()) {
    messages_.push_back({.type = ExploredMessage::Type::invalidation,
                         .from = id(),
                         .to = to,
                         .number = message.number,
                         .conflict = message.conflict,
                         .tries = message.tries});
  } else {
    messages_.push_back({.type = ExploredMessage::Type::answer,
                         .from = to,
                         .to = id(),
                         .number = message.number,
                         .verdict = Verdict::gone});
  }
}

void ExploredNode::answer(const Invalidation& message, Verdict verdict) {
  messages_.push_back({.type = ExploredMessage::Type::answer,
                       .from = id(),
                       .to = message.sender,
                       .number = message.number,
                       .verdict = verdict});
}

void ExploredNode::confirm(const Posted& given) {
  messages_.push_back({.type = ExploredMessage::Type::answer,
                       .from = id(),
                       .to = given.peer,
                       .number = given.number,
                       .verdict = Verdict::landed});
}

void ExploredNode::forward(const Invalidation& message, const Frame&, ObjectRange) {
  answer(message, Verdict::given);
  messages_.push_back({.type = ExploredMessage::Type::sent, .from = id(), .to = id()});
}

void ExploredNode::raise(FrameEvent event, sim::Key line, Frame* frame, const Invalidation* message,
                         std::vector<WorkRequest>* posts) {
  FrameStep step{
      .node = lines_, .line = line, .frame = frame, .work = works_.find(line), .message = message, .posts = posts};
  frame_table().on(frame->state, event, step, {});
}

}  // namespace racksim::selcc
