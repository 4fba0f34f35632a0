// How words, answers and invalidations become events of a line's transition table. See line_events.hpp.
#include "protocols/selcc/line_events.hpp"

#include <algorithm>
#include <utility>

#include "protocols/selcc/races.hpp"

namespace racksim::selcc {

void LineEvents::take_word(LineWork& work, std::uint64_t word) {
  work.word = word;
  host().raise(FrameEvent::word, work.frame->line, work.frame);
  if (readable(work.frame->state)) work.acquired.notify_all();
}

// A line that is given away has two verbs out: the frame itself, and the atomic that changes the word.
void LineEvents::given_part_done(sim::Key line) {
  LineWork* work = works().find(line);
  if (work == nullptr || work->giving == 0 || --work->giving > 0) return;
  Frame& frame = *work->frame;
  const bool handed_over = frame.state == FrameState::given;
  host().raise(FrameEvent::settled, line, &frame);
  if (handed_over) frame.latch = 0;
  if (frame.latch == 0) host().latch_freed(frame);
}

void LineEvents::take_answer(const Answer& answer, LineData&& data) {
  LineWork* work = works().find(answer.line);
  if (work == nullptr) return ignore_answer();
  const auto ask = std::find_if(work->asks.begin(), work->asks.end(),
                                [&](const Ask& a) { return a.number == answer.number && !a.answered; });
  if (ask == work->asks.end()) return ignore_answer();
  host().cancel_timer(*work);  // without R5 it would ask again
  if (answer.verdict == Verdict::given) {
    work->fetched = std::move(data);
    take_given(*work, *ask, answer.dirty);
    if (work->confirmed == answer.number) {
      coverage().race(races.confirmed_before_taken);
      confirmed(answer.line, answer.number);
    }
    return;
  }
  if (answer.verdict == Verdict::busy) work->turned_away = true;
  answered_without(*work, *ask);
}

void LineEvents::take_given(LineWork& work, Ask& ask, ObjectRange dirty) {
  work.giver = ask.whom;
  work.confirmation = ask.number;
  work.fetched_dirty = dirty;
  work.asks.clear();
  host().raise(FrameEvent::granted, work.frame->line, work.frame);
  work.acquired.notify_all();
}

void LineEvents::answered_without(LineWork& work, Ask& ask) {
  ask.answered = true;
  if (std::any_of(work.asks.begin(), work.asks.end(), [](const Ask& a) { return !a.answered; })) return;
  work.asks.clear();
  host().raise(FrameEvent::answered, work.frame->line, work.frame);
}

// The confirmation is a flag in memory that costs no core anything. It may be there before the thread has seen the
// line.
void LineEvents::confirmed(sim::Key line, std::uint64_t number) {
  LineWork* work = works().find(line);
  if (work == nullptr) return;
  work->confirmed = number;
  Frame& frame = *work->frame;
  const FrameState state = frame.state;
  const bool waits = state == FrameState::shared_unconfirmed || state == FrameState::modified_unconfirmed ||
                     state == FrameState::upgrade_settling;
  if (!waits || work->confirmation != number) return;
  host().raise(FrameEvent::settled, line, &frame);
  if (frame.latch == 0) host().latch_freed(frame);
}

void LineEvents::handle(const Invalidation& message) {
  host().raise(event_of(message.conflict), message.line, cache().find(message.line), &message);
}

// The one with the highest priority first (§5.3.2); whoever comes too late is told so by the table.
void LineEvents::serve_deferred(Frame& frame) {
  while (frame.latch == 0 && (frame.state == FrameState::modified || frame.state == FrameState::shared)) {
    LineWork& work = works().of(frame);
    const auto first =
        std::max_element(work.deferred.begin(), work.deferred.end(),
                         [](const Invalidation& a, const Invalidation& b) { return a.priority < b.priority; });
    if (first == work.deferred.end()) return;
    const Invalidation message = *first;
    work.deferred.erase(first);
    host().raise(event_of(message.conflict), frame.line, &frame, &message);
  }
}

}  // namespace racksim::selcc
