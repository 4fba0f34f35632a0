// Guards and actions of a line's transition table. See transitions.hpp.
#include <algorithm>
#include <utility>

#include "protocols/selcc/compute_node.hpp"
#include "sim/kernel/invariant.hpp"

namespace racksim::selcc {

sim::KeyAndOperations Step::key_and_operations() const {
  sim::KeyAndOperations about{node.shared_.lines.object_of(line, 0), {}};
  if (work != nullptr && work->operation != 0) about.operations.push_back(work->operation);
  return about;
}

LatchWord Step::word() const {
  return LatchWord(work->word);
}

// Whom the word says to invalidate: its owner or, for a writer, all sharers. Numbers that no node has are left out:
// between two additions a word can name anybody.
std::vector<NodeId> Step::targets() const {
  std::vector<NodeId> found;
  const auto add = [&](NodeId id) {
    if (id != node.id_ && id < node.shared_.nodes.size() && !node.is_cut_off(id)) found.push_back(id);
  };
  const bool upgrades = frame->state == FrameState::upgrading;
  if (word().names_owner()) {
    if (!upgrades) add(word().owner());
  } else if (frame->state != FrameState::acquiring_shared && frame->state != FrameState::undoing) {
    word().for_each_reader(add);
  }
  return found;
}

bool Step::latched() const {
  return frame->latch != 0;
}
bool Step::latched_and_drops() const {
  return latched() && node.options().drop_shared_deferral;
}
bool Step::defers_shared() const {
  return !node.options().drop_shared_deferral;
}
bool Step::matches_anyway() const {
  return !node.options().match_case && !latched();
}
bool Step::too_low_priority() const {
  return node.options().priority_matching && message->priority < frame->writer_priority;
}
bool Step::confirms() const {
  return node.options().confirm;
}
bool Step::giver_waits() const {
  return node.options().giver_waits;
}
bool Step::forwards() const {
  return node.options().forwarding;
}
bool Step::does_not_forward() const {
  return !node.options().forwarding;
}
bool Step::held_back() const {
  const auto until = node.held_back_.find(line);
  return until != node.held_back_.end() && node.calendar().now() < until->second;
}
bool Step::own_release_is_out() const {
  return node.options().undo == Undo::waited && node.atomics_under_way_.contains(line);
}
bool Step::reader_succeeds() const {
  return !word().names_owner() && (word().readers() & LatchWord::shared(node.id_)) == 0;
}
bool Step::own_trace() const {
  return word().names(node.id_);
}
bool Step::undo_is_waited() const {
  return node.options().undo == Undo::waited;
}
bool Step::names_the_dead() const {
  return word().without(node.departed_) != word();
}
bool Step::somebody_to_ask() const {
  return !targets().empty();
}
bool Step::word_was_free() const {
  return word().free();
}
bool Step::upgrade_succeeds() const {
  return word() == LatchWord(LatchWord::shared(node.id_));
}
bool Step::last_upgrade() const {
  return node.options().upgrade_fallback && work->upgrades >= node.options().upgrade_attempts;
}
bool Step::turned_away() const {
  return work->turned_away;
}

void Step::hit() {
  node.cache_.touch(*frame);
}

void Step::start_attempt() {
  node.calendar().cancel(work->timer);
  ++work->attempts;
}

void Step::acquire_shared() {
  acquire(models::Opcode::fetch_add, LatchWord::shared(node.id_));
}

void Step::acquire_modified() {
  acquire(models::Opcode::compare_swap, LatchWord::modified(node.id_));
}

void Step::acquire(models::Opcode opcode, std::uint64_t part) {
  start_attempt();
  node.latch_and_read(opcode, part, *work);
}

// The copy that it has stays valid: nothing is read.
void Step::upgrade() {
  start_attempt();
  ++work->upgrades;
  const models::WorkRequest swap =
      node.atomic(models::Opcode::compare_swap, line, LatchWord::shared(node.id_), LatchWord::modified(node.id_),
                  {.purpose = ComputeNode::Purpose::latch_word, .operation = work->operation});
  node.post(node.thread_queue_pair(work->thread, line), std::span(&swap, 1));
}

void Step::install() {
  frame->data = std::move(work->fetched);
  frame->dirty = {};
  node.cache_.touch(*frame);
}

void Step::install_modified() {
  install();
  keep_priority();
}

// Of the writer that it was acquired for (§5.3.2).
void Step::keep_priority() {
  frame->writer_priority = node.options().priority_of(work->attempts);
}

void Step::promote() {
  node.cache_.touch(*frame);
  keep_priority();
}

void Step::install_given() {
  install();
  frame->dirty = work->fetched_dirty;
  if (frame->state == FrameState::asking_modified) keep_priority();
}

void Step::undo() {
  const bool waited = undo_is_waited();
  if (node.options().undo == Undo::off) return;
  ++node.counters().undone.value;
  const models::WorkRequest add =
      node.atomic(models::Opcode::fetch_add, line, 0, LatchWord::minus(LatchWord::shared(node.id_)),
                  {.purpose = waited ? ComputeNode::Purpose::undo_waited : ComputeNode::Purpose::undo,
                   .operation = work->operation});
  node.post(node.thread_queue_pair(work->thread, line), std::span(&add, 1));
}

// To all of them at once: each is to answer exactly once (R5), by the number that it gets here (R6).
void Step::ask() {
  const bool reads = frame->state == FrameState::acquiring_shared || frame->state == FrameState::undoing;
  const Case conflict = !word().names_owner() ? Case::writer_against_shared
                        : reads               ? Case::reader_against_modified
                                              : Case::writer_against_modified;
  Counters& counters = node.counters();
  if (!std::exchange(work->has_asked, true)) ++counters.operations_with_invalidations.value;
  work->asks.clear();
  work->turned_away = false;
  work->asked_at = node.calendar().now();
  for (const NodeId target : targets()) {
    sim::Counter& sent = conflict == Case::writer_against_modified   ? counters.asked_modified
                         : conflict == Case::reader_against_modified ? counters.asked_for_reader
                                                                     : counters.asked_shared;
    ++sent.value;
    if (!node.shared_.nodes[target]->has_part_in(line)) {
      ++counters.phantom_sharers.value;
      node.shared_.coverage.race(RacePoint::word_names_an_innocent);
    }
    work->asks.push_back({.whom = target, .number = node.next_number_++});
    node.send(target, {.line = line,
                       .number = work->asks.back().number,
                       .sender = node.id_,
                       .conflict = conflict,
                       .priority = node.options().priority_of(work->attempts),
                       .operation = work->operation});
  }
  if (!node.options().await_answer) wait_until(work->asked_at + node.shared_.rack.options().rtt * 2);
}

void Step::wait_until(sim::Time end) {
  node.calendar().cancel(work->timer);
  node.set_timer(*work, line, end);
}

// The gap between two invalidations, C × RTT / retries (§5.1.2), not below one round trip.
void Step::pause() {
  const sim::Duration rtt = node.shared_.rack.options().rtt;
  const auto gap = rtt * static_cast<std::int64_t>(node.options().resend_factor) /
                   static_cast<std::int64_t>(std::max<std::uint32_t>(work->attempts, 1));
  const sim::Time now = node.calendar().now();
  const sim::Time from = work->asked_at == sim::Time{} ? now : work->asked_at;
  wait_until(std::max(now, from + std::max(gap, rtt)));
}

void Step::pause_for_own_trace() {
  ++node.counters().own_traces.value;
  node.shared_.coverage.race(RacePoint::word_names_its_reader);
  wait_until(node.calendar().now() + node.shared_.rack.options().rtt);
}

// If the word has changed meanwhile the next attempt sees it.
void Step::take_out_the_dead() {
  ++node.taking_out_;
  const models::WorkRequest swap =
      node.atomic(models::Opcode::compare_swap, line, word().bits(), word().without(node.departed_).bits(),
                  {.purpose = ComputeNode::Purpose::take_out, .number = word().bits(), .operation = work->operation});
  node.post(node.thread_queue_pair(work->thread, line), std::span(&swap, 1));
}

void Step::hold_back() {
  ++node.counters().held_back.value;
  wait_until(node.held_back_.at(line));
}

void Step::release_share_first() {
  ++node.counters().upgrade_fallbacks.value;
  work->upgrades = 0;
  const models::WorkRequest add =
      node.atomic(models::Opcode::fetch_add, line, 0, LatchWord::minus(LatchWord::shared(node.id_)),
                  {.purpose = ComputeNode::Purpose::fall_back, .operation = work->operation});
  node.post(node.thread_queue_pair(work->thread, line), std::span(&add, 1));
}

void Step::forget_asks() {
  work->asks.clear();
}

void Step::drop_copy() {
  frame->data.clear();
  frame->dirty = {};
  frame->writer_priority = 0;
}

void Step::settle_others(bool owners_alone) {
  if (work == nullptr || !node.options().answer_deferred) return;
  std::vector<Invalidation> kept;
  for (const Invalidation& deferred : std::exchange(work->deferred, {})) {
    if (owners_alone && deferred.conflict == Case::writer_against_shared) {
      kept.push_back(deferred);
    } else {
      node.shared_.coverage.race(RacePoint::deferred_in_vain);
      node.answer(deferred, Verdict::gone);
    }
  }
  work->deferred = std::move(kept);
}

void Step::answer_deferred() {
  settle_others(false);
}
void Step::answer_deferred_owners() {
  settle_others(true);
}

void Step::defer() {
  ++node.counters().deferred.value;
  LineWork& kept = node.works_.of(*frame);
  RACKSIM_INVARIANT(std::none_of(kept.deferred.begin(), kept.deferred.end(),
                                 [&](const Invalidation& other) { return other.sender == message->sender; }) ||
                        !node.options().await_answer,
                    "a sender has one invalidation of a line out");
  kept.deferred.push_back(*message);
  kept.urged = true;
}

void Step::answer_busy() {
  node.answer(*message, Verdict::busy);
}
void Step::answer_gone() {
  if (node.atomics_under_way_.contains(line)) node.shared_.coverage.race(RacePoint::invalidation_meets_release);
  node.answer(*message, Verdict::gone);
}

void Step::urge() {
  node.works_.of(*frame).urged = true;
  let_writer_in_first();
}

// Readers of this node spin for a while, the longer the more starved the writer is (§5.3.2).
void Step::let_writer_in_first() {
  if (!node.options().spin_waiting || message->priority == 0) return;
  const sim::Time now = node.calendar().now();
  std::erase_if(node.held_back_, [&](const auto& other) { return other.second <= now; });
  node.held_back_[line] = now + node.options().spin_per_level * message->priority;
}

// The line goes to whoever asks, without waiting for the word to change (§4.4.1). The frame is not used again before
// it has been sent.
void Step::hand_over() {
  LineWork& giving = node.works_.of(*frame);
  ++node.counters().given.value;
  node.forward(*message, *frame, node.options().dirty_travels ? frame->dirty : ObjectRange{});
  const models::WorkRequest add =
      node.atomic(models::Opcode::fetch_add, line, 0, LatchWord::hand_over(node.id_, message->sender),
                  {.purpose = ComputeNode::Purpose::hand_over,
                   .peer = message->sender,
                   .number = message->number,
                   .operation = message->operation});
  node.post(node.handler_queue_pair(line), std::span(&add, 1));
  ++node.giving_to_[message->sender];
  giving.giving = 2;
  frame->latch = Frame::kExclusive;
  drop_copy();
}

void Step::share_out() {
  LineWork& giving = node.works_.of(*frame);
  ++node.counters().given.value;
  node.forward(*message, *frame, {});
  std::vector<models::WorkRequest> batch;
  const bool flushes = node.options().case2_flush && !frame->dirty.empty();
  const models::WorkRequest add =
      node.atomic(models::Opcode::fetch_add, line, 0, LatchWord::share(node.id_, message->sender),
                  {.purpose = ComputeNode::Purpose::share,
                   .peer = message->sender,
                   .number = message->number,
                   .operation = message->operation});
  if (flushes) batch.push_back(node.flush(*frame, message->operation));
  batch.insert(node.options().flush_first ? batch.end() : batch.begin(), add);
  node.post(node.handler_queue_pair(line), batch);
  ++node.giving_to_[message->sender];
  if (node.options().giver_waits) giving.giving = 2;
  frame->dirty = {};
  frame->writer_priority = 0;
}

sim::OperationId Step::asked_by() const {
  return message != nullptr ? message->operation : sim::OperationId{0u};
}

std::vector<models::WorkRequest> Step::release(bool modified) {
  std::vector<models::WorkRequest> batch;
  const std::uint64_t part = modified ? LatchWord::modified(node.id_) : LatchWord::shared(node.id_);
  const models::WorkRequest add =
      node.atomic(models::Opcode::fetch_add, line, 0, LatchWord::minus(part),
                  {.purpose = posts != nullptr ? ComputeNode::Purpose::evict : ComputeNode::Purpose::release,
                   .operation = asked_by()});
  if (modified && !frame->dirty.empty()) batch.push_back(node.flush(*frame, asked_by()));
  batch.insert(node.options().flush_first ? batch.end() : batch.begin(), add);
  return batch;
}

void Step::release_line(bool modified) {
  const auto batch = release(modified);
  if (posts != nullptr) {
    ++(modified ? node.counters().evicted_modified : node.counters().evicted_shared).value;
    posts->insert(posts->end(), batch.begin(), batch.end());
  } else {
    ++node.counters().yields.value;
    node.post(node.handler_queue_pair(line), batch);
  }
}

void Step::release_share() {
  release_line(false);
}
void Step::flush_and_release() {
  release_line(true);
}

void Step::give_up_share() {
  node.post(node.handler_queue_pair(line), release(false));
  node.answer(*message, Verdict::released);
  let_writer_in_first();
}

void Step::give_up_by_memory() {
  node.post(node.handler_queue_pair(line), release(true));
  node.answer(*message, Verdict::released);
}

}  // namespace racksim::selcc
