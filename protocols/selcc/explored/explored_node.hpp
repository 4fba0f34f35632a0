// A node of the exploration: a line's table and events as a rack runs them (line_events.hpp), and the verbs that they
// post, which wait here until a step carries them out. See explored_line.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "protocols/selcc/explored/explore_options.hpp"
#include "protocols/selcc/line_events.hpp"
#include "sim/exploration/archive.hpp"
#include "sim/kernel/calendar.hpp"

namespace racksim::selcc {

/// An atomic on the line's word.
struct ExploredVerb {
  bool swaps = false;
  std::uint64_t compare = 0, value = 0;
  Purpose purpose{};
  NodeId peer = 0;
  std::uint64_t number = 0;
  std::uint64_t found = 0;  ///< the word, once it is carried out

  template <class Archive>
  void archive(Archive& archive) {
    archive(swaps, compare, value, purpose, peer, number, found);
  }
};

/// What a node tells another, or that a line which it has given has been sent.
struct ExploredMessage {
  enum class Type : std::uint8_t { invalidation, answer, sent };
  Type type{};
  NodeId from = 0, to = 0;
  std::uint64_t number = 0;
  Case conflict{};
  Verdict verdict{};
  bool tries = false;  ///< of an invalidation

  template <class Archive>
  void archive(Archive& archive) {
    archive(type, from, to, number, conflict, verdict, tries);
  }
  auto operator<=>(const ExploredMessage&) const = default;
};

class ExploredNode final : LineVerbs, LineHost {
 public:
  static constexpr std::size_t kQueuePairs = 3;  ///< to memory: of the thread, the handler and the evictor
  enum class Phase : std::uint8_t { idle, acquires, uses };

  ExploredNode(const ExploreOptions& options, NodeId id, std::string program, Counters& counters,
               sim::Calendar& calendar, std::vector<ExploredMessage>& messages);

  NodeId id() const { return lines_.id(); }
  const Frame& frame() const { return *frame_; }
  Phase phase() const { return phase_; }
  const std::vector<ExploredVerb>& posted(std::size_t queue_pair) const { return posted_[queue_pair]; }
  const std::vector<ExploredVerb>& done(std::size_t queue_pair) const { return done_[queue_pair]; }
  /// What its thread does now, or next.
  char operation() const { return program_[begun_ - (phase_ == Phase::idle ? 0 : 1)]; }
  bool writes() const { return operation() == 'w' || operation() == 'x'; }
  bool tries() const { return operation() == 's' || operation() == 'x'; }
  bool may_begin() const { return phase_ == Phase::idle && begun_ < program_.size() && frame_->latch == 0; }
  bool may_evict() const {
    return frame_->latch == 0 && !frame_->attended && frame_->state != FrameState::absent && is_stable(frame_->state);
  }
  bool pauses() const {
    return frame_->state >= FrameState::pausing_shared && frame_->state <= FrameState::pausing_upgrade;
  }
  /// Nothing is under way.
  bool at_rest() const;
  bool is_over() const { return begun_ == program_.size(); }
  /// What its copy adds to the word.
  std::uint64_t contribution() const;

  // Steps.
  void begin();
  void end_use();
  void evict();
  void end_pause() { raise(FrameEvent::pause_over, kLine, frame_); }
  /// The first that a queue pair has carries an atomic out on the word.
  void carry_out(std::size_t queue_pair, std::uint64_t& word);
  /// It completes.
  void complete(std::size_t queue_pair);
  void deliver(const ExploredMessage& message);
  /// After each step: the thread sees that it has the line, and what is over about it is forgotten.
  void go_on();

  template <class Archive>
  void archive(Archive& archive);

 private:
  static constexpr sim::Key kLine{0};

  // LineVerbs.
  models::WorkRequest atomic(models::Opcode opcode, std::uint64_t compare, std::uint64_t value,
                             const Posted& posted) override;
  models::WorkRequest flush(const Frame&, sim::OperationId) override { return {.opcode = models::Opcode::write}; }
  void post_by_thread(const LineWork&, const models::WorkRequest& request) override { post(kThread, {&request, 1}); }
  void post_by_handler(sim::Key, std::span<const models::WorkRequest> requests) override { post(kHandler, requests); }
  void latch_and_read(models::Opcode opcode, std::uint64_t part, const LineWork&) override {
    const auto request = atomic(opcode, 0, part, {.purpose = Purpose::latch_line});
    post(kThread, {&request, 1});
  }
  bool has_atomic_of(sim::Key) const override;
  void send(NodeId to, const Invalidation& message) override;
  void answer(const Invalidation& message, Verdict verdict) override;
  void confirm(const Posted& given) override;
  void forward(const Invalidation& message, const Frame&, ObjectRange) override;

  // LineHost. There is no time: a pause may be over at once.
  void raise(FrameEvent event, sim::Key line, Frame* frame, const Invalidation* message = nullptr,
             std::vector<models::WorkRequest>* posts = nullptr) override;
  void latch_freed(Frame& frame) override { lines_.serve_deferred(frame); }
  // A round's numbers may come again in the next: by then each has its answer.
  std::uint64_t take_number() override { return works_.find(kLine)->asks.size() + 1; }
  sim::Time now() const override { return {}; }
  sim::Duration rtt() const override { return {}; }
  void set_timer(LineWork&, sim::Time) override {}
  void cancel_timer(LineWork&) override {}
  sim::Time held_back(sim::Key) const override { return {}; }
  void hold_back(sim::Key, sim::Time) override {}
  sim::Key first_object_of(sim::Key line) const override { return line; }
  bool has_part_in(NodeId, sim::Key) const override { return true; }
  bool is_cut_off(NodeId) const override { return false; }
  std::uint64_t departed() const override { return 0; }

  enum QueuePair : std::size_t { kThread, kHandler, kEvictor };
  void post(std::size_t queue_pair, std::span<const models::WorkRequest> requests);
  /// Whether anything hangs on the completion.
  bool is_waited_for(Purpose purpose) const {
    const bool unseen = purpose == Purpose::undo || purpose == Purpose::release || purpose == Purpose::evict;
    return !unseen || options_.undo == Undo::waited;
  }
  template <class Archive>
  void archive_work(Archive& archive);

  const Options& options_;
  const std::string program_;
  const bool uses_take_time_;
  std::vector<ExploredMessage>& messages_;
  Cache cache_{1, 1};
  LineEvents::Works works_;
  LineEvents lines_;
  Frame* frame_;
  std::vector<Posted> noted_;  // by number of the work request, of the present step
  std::array<std::vector<ExploredVerb>, kQueuePairs> posted_, done_;
  Phase phase_ = Phase::idle;
  std::uint8_t begun_ = 0;
};

template <class Archive>
void ExploredNode::archive(Archive& archive) {
  const auto verb = [&](ExploredVerb& one) { one.archive(archive); };
  for (auto& queue : posted_) archive.list(queue, verb);
  for (auto& queue : done_) archive.list(queue, verb);
  archive(phase_, begun_, frame_->state);
  // The latch: readers, or one who has it exclusively.
  auto latch = static_cast<std::uint8_t>(frame_->latch - Frame::kExclusive);
  archive(latch);
  frame_->latch = static_cast<std::int16_t>(latch + Frame::kExclusive);
  bool attended = frame_->attended;
  archive(attended);
  if (Archive::kReads && frame_->attended) works_.end(*frame_);
  if (attended) archive_work(archive);
}

// Of a work only what a later step depends on: the word is used up but for an undo that is waited for, and a number
// matters as long as its answer or confirmation may come. More failed upgrades than make it fall back are as many.
template <class Archive>
void ExploredNode::archive_work(Archive& archive) {
  LineWork& work = works_.of(*frame_);
  const FrameState state = frame_->state;
  const bool waits_for_confirmation = state == FrameState::shared_unconfirmed ||
                                      state == FrameState::modified_unconfirmed ||
                                      state == FrameState::upgrade_settling;
  if (state != FrameState::undoing) work.word = 0;
  if (!waits_for_confirmation) work.confirmation = 0;
  if (!waits_for_confirmation && work.asks.empty()) work.confirmed = 0;
  if (work.asks.empty()) work.turned_away = false;
  if (phase_ != Phase::acquires) work.only_tries = work.refused = false;
  work.attempts = work.only_tries ? work.attempts : 0;
  work.upgrades = std::min(work.upgrades, static_cast<std::uint32_t>(options_.upgrade_attempts));
  archive(work.word, work.confirmation, work.confirmed, work.turned_away, work.giving, work.upgrades, work.only_tries,
          work.attempts);
  archive.list(work.asks, [&](Ask& ask) { archive(ask.whom, ask.number, ask.answered); });
  archive.list(work.deferred, [&](Invalidation& m) { archive(m.number, m.sender, m.conflict); });
}

}  // namespace racksim::selcc
