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
          .node = lines_, .line = line, .frame = frame, .work = works_.find(line), .message = message, .posts = posts});
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
  if (failed) return lines_.given_part_done(posted.line);  // to a node that is gone
  completed(posted, completion);
}

void ComputeNode::completed(const Posted& posted, const models::Completion& completion) {
  Frame* frame = cache_.find(posted.line);
  switch (posted.purpose) {
    case Purpose::latch_word:
      return lines_.take_word(*works_.find(posted.line), completion.old_value);
    case Purpose::latch_line: {
      LineWork& work = *works_.find(posted.line);
      work.fetched.load(completion.content.bytes().subspan(latched_memory::LineLayout::kWordBytes));
      return lines_.take_word(work, verbs_.word_found(completion));
    }
    case Purpose::undo_waited:
      return raise(FrameEvent::undone, posted.line, frame);
    case Purpose::fall_back:
      return raise(FrameEvent::released, posted.line, frame);
    case Purpose::hand_over:
    case Purpose::share:
      if (options().confirm) verbs_.confirm(posted);
      return lines_.given_part_done(posted.line);
    case Purpose::forward:
      return lines_.given_part_done(posted.line);
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

void ComputeNode::landed(NodeId, std::uint64_t, std::uint32_t, const models::Content& content) {
  const auto answer = latched_memory::header_of<Answer>(content);
  if (answer.verdict == Verdict::landed) return lines_.confirmed(answer.line, answer.number);
  LineWork* work = works_.find(answer.line);
  if (work == nullptr) return lines_.ignore_answer();
  Arrived arrived{.answer = answer, .data = {}};
  if (answer.verdict == Verdict::given) arrived.data.load(content.bytes().subspan(sizeof answer));
  // The thread that waits looks at its buffer all the time.
  const std::uint32_t slot = answers_.put(std::move(arrived));
  connections_.core_of(work->thread).run<&ComputeNode::take_answer>(shared_.rack.options().cpu.completion, *this, slot);
}

void ComputeNode::take_answer(std::uint32_t slot) {
  Arrived arrived = answers_.take(slot);
  lines_.take_answer(arrived.answer, std::move(arrived.data));
}

void ComputeNode::handle(std::uint32_t slot) {
  const Invalidation message = inbox_.take(slot);
  if (is_cut_off(message.sender)) return;
  lines_.handle(message);
  if (Frame* frame = cache_.find(message.line)) tidy(*frame);
}

void ComputeNode::set_timer(LineWork& work, sim::Time end) {
  work.timer = clock().after<&ComputeNode::pause_over>(end - calendar().now(), *this, work.frame->line.number());
}

void ComputeNode::pause_over(std::uint64_t line) {
  raise(FrameEvent::pause_over, sim::Key{line}, works_.find(sim::Key{line})->frame);
}

}  // namespace racksim::selcc
