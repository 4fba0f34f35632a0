// How completions, invalidations and answers become events of a line's transition table. The handler of invalidations
// only tries the local latch and never waits for it (SELCC §5.1.1).
#include <algorithm>
#include <utility>

#include "protocols/selcc/compute_node.hpp"
#include "protocols/selcc/races.hpp"
#include "sim/kernel/invariant.hpp"

namespace racksim::selcc {

void ComputeNode::raise(FrameEvent event, sim::Key line, Frame* frame, const Invalidation* message,
                        std::vector<models::WorkRequest>* posts) {
  execute(
      frame_table(), event,
      FrameStep{
          .node = *this, .line = line, .frame = frame, .work = works_.find(line), .message = message, .posts = posts});
}

void ComputeNode::on_completion(const models::Completion& completion) {
  if (completion.opcode == models::Opcode::receive) {
    if (completion.status != models::Status::success) return;
    connections_.to_peer(completion.from).post_receive();
    const std::uint32_t slot = inbox_.put(completion.content.as<Invalidation>());
    connections_.handler_core().run<&ComputeNode::handle>(options().handling, *this, slot);
    return;
  }
  const bool failed = completion.status != models::Status::success;
  if (failed) ++counters().failed_verbs.value;
  if (completion.wr_id == 0) return;
  if (failed && verbs_[completion].purpose != Purpose::forward) return;
  const Posted posted = verbs_.take(completion);
  if (failed) return given_part_done(posted.line);  // to a node that is gone
  completed(posted, completion);
}

void ComputeNode::completed(const Posted& posted, const models::Completion& completion) {
  Frame* frame = cache_.find(posted.line);
  switch (posted.purpose) {
    case Purpose::latch_word:
      return take_word(*works_.find(posted.line), completion.old_value);
    case Purpose::latch_line: {
      LineWork& work = *works_.find(posted.line);
      work.fetched.load(completion.content.bytes().subspan(latched_memory::LineLayout::kWordBytes));
      return take_word(work, verbs_.word_found(completion));
    }
    case Purpose::undo_waited:
      return raise(FrameEvent::undone, posted.line, frame);
    case Purpose::fall_back:
      return raise(FrameEvent::released, posted.line, frame);
    case Purpose::hand_over:
    case Purpose::share:
      if (options().confirm) verbs_.confirm(posted);
      return given_part_done(posted.line);
    case Purpose::forward:
      return given_part_done(posted.line);
    case Purpose::take_out:
      if (completion.old_value != posted.number) {
        LineWork& work = *works_.find(posted.line);
        return set_timer(work, calendar().now() + back_off(work.attempts));
      }
      ++counters().taken_out.value;
      return raise(FrameEvent::pause_over, posted.line, frame);
    case Purpose::evict:
      RACKSIM_INVARIANT(ring_used_[shared_.lines.server_of(posted.line)] >= posted.slots,
                        "an eviction gives back the slots that it has taken");
      ring_used_[shared_.lines.server_of(posted.line)] -= posted.slots;
      return ring_moved_.notify_all();
    case Purpose::call:
      return posted.call->completed(completion);
    case Purpose::undo:
    case Purpose::release:
      return;
  }
}

void ComputeNode::take_word(LineWork& work, std::uint64_t word) {
  work.word = word;
  raise(FrameEvent::word, work.frame->line, work.frame);
  if (readable(work.frame->state)) work.acquired.notify_all();
}

// A line that is given away has two verbs out: the frame itself, and the atomic that changes the word.
void ComputeNode::given_part_done(sim::Key line) {
  LineWork* work = works_.find(line);
  if (work == nullptr || work->giving == 0 || --work->giving > 0) return;
  Frame& frame = *work->frame;
  const bool handed_over = frame.state == FrameState::given;
  raise(FrameEvent::settled, line, &frame);
  if (handed_over) frame.latch = 0;
  if (frame.latch == 0) latch_freed(frame);
}

void ComputeNode::landed(NodeId, std::uint64_t, std::uint32_t, const models::Content& content) {
  const auto answer = latched_memory::header_of<Answer>(content);
  if (answer.verdict == Verdict::landed) return confirmed(answer.line, answer.number);
  LineWork* work = works_.find(answer.line);
  if (work == nullptr) return;
  Arrived arrived{.answer = answer, .data = {}};
  if (answer.verdict == Verdict::given) arrived.data.load(content.bytes().subspan(sizeof answer));
  // The thread that waits looks at its buffer all the time.
  const std::uint32_t slot = answers_.put(std::move(arrived));
  connections_.core_of(work->thread).run<&ComputeNode::take_answer>(shared_.rack.options().cpu.completion, *this, slot);
}

void ComputeNode::take_answer(std::uint32_t slot) {
  Arrived arrived = answers_.take(slot);
  const Answer& answer = arrived.answer;
  LineWork* work = works_.find(answer.line);
  if (work == nullptr) return;
  const auto ask = std::find_if(work->asks.begin(), work->asks.end(),
                                [&](const Ask& a) { return a.number == answer.number && !a.answered; });
  if (ask == work->asks.end()) return;  // of a request that is not waited for any more (R6)
  calendar().cancel(work->timer);       // without R5 it would ask again
  if (answer.verdict == Verdict::given) {
    work->fetched = std::move(arrived.data);
    take_given(*work, *ask, answer.dirty);
    if (work->confirmed == answer.number) {
      shared_.coverage.race(races.confirmed_before_taken);
      confirmed(answer.line, answer.number);
    }
    return;
  }
  if (answer.verdict == Verdict::busy) work->turned_away = true;
  answered_without(*work, *ask);
}

void ComputeNode::take_given(LineWork& work, Ask& ask, ObjectRange dirty) {
  work.giver = ask.whom;
  work.confirmation = ask.number;
  work.fetched_dirty = dirty;
  work.asks.clear();
  raise(FrameEvent::granted, work.frame->line, work.frame);
  work.acquired.notify_all();
}

void ComputeNode::answered_without(LineWork& work, Ask& ask) {
  ask.answered = true;
  if (std::any_of(work.asks.begin(), work.asks.end(), [](const Ask& a) { return !a.answered; })) return;
  work.asks.clear();
  raise(FrameEvent::answered, work.frame->line, work.frame);
}

// The confirmation is a flag in memory that costs no core anything. It may be there before the thread has seen the
// line.
void ComputeNode::confirmed(sim::Key line, std::uint64_t number) {
  LineWork* work = works_.find(line);
  if (work == nullptr) return;
  work->confirmed = number;
  Frame& frame = *work->frame;
  const FrameState state = frame.state;
  const bool waits = state == FrameState::shared_unconfirmed || state == FrameState::modified_unconfirmed ||
                     state == FrameState::upgrade_settling;
  if (!waits || work->confirmation != number) return;
  raise(FrameEvent::settled, line, &frame);
  if (frame.latch == 0) latch_freed(frame);
}

void ComputeNode::handle(std::uint32_t slot) {
  const Invalidation message = inbox_.take(slot);
  if (is_cut_off(message.sender)) return;
  Frame* frame = cache_.find(message.line);
  raise(event_of(message.conflict), message.line, frame, &message);
  if (frame != nullptr) tidy(*frame);
}

// The one with the highest priority first (§5.3.2); whoever comes too late is told so by the table.
void ComputeNode::serve_deferred(Frame& frame) {
  while (frame.latch == 0 && (frame.state == FrameState::modified || frame.state == FrameState::shared)) {
    LineWork& work = works_.of(frame);
    const auto first =
        std::max_element(work.deferred.begin(), work.deferred.end(),
                         [](const Invalidation& a, const Invalidation& b) { return a.priority < b.priority; });
    if (first == work.deferred.end()) return;
    const Invalidation message = *first;
    work.deferred.erase(first);
    raise(event_of(message.conflict), frame.line, &frame, &message);
  }
}

void ComputeNode::set_timer(LineWork& work, sim::Time end) {
  work.timer = clock().after<&ComputeNode::pause_over>(end - calendar().now(), *this, work.frame->line.number());
}

void ComputeNode::pause_over(std::uint64_t line) {
  raise(FrameEvent::pause_over, sim::Key{line}, works_.find(sim::Key{line})->frame);
}

}  // namespace racksim::selcc
