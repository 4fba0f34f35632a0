// What several rows of a line's transition table ask and do. See frame_step.hpp.
#include "protocols/selcc/frame_step.hpp"

#include <utility>

#include "protocols/selcc/line_events.hpp"
#include "protocols/selcc/races.hpp"

namespace racksim::selcc {

using models::Opcode;

sim::KeyAndOperations FrameStep::key_and_operations() const {
  sim::KeyAndOperations about{node.host().first_object_of(line), {}};
  if (work != nullptr && work->operation != 0) about.operations.push_back(work->operation);
  return about;
}

const Options& FrameStep::options() const {
  return node.options();
}

LatchWord FrameStep::word() const {
  return LatchWord(work->word);
}

bool FrameStep::wants_to_read() const {
  return frame->state == FrameState::acquiring_shared || frame->state == FrameState::undoing;
}

bool FrameStep::gives_up() const {
  return work->only_tries && work->attempts >= options().try_attempts;
}

// Numbers that no node has are left out: between two additions a word can name anybody.
boost::container::static_vector<NodeId, LatchWord::kMostNodes> FrameStep::targets() const {
  boost::container::static_vector<NodeId, LatchWord::kMostNodes> found;
  const auto add = [&](NodeId id) {
    if (id != node.id() && id < node.compute_nodes() && !node.host().is_cut_off(id)) found.push_back(id);
  };
  if (word().names_owner()) {
    if (frame->state != FrameState::upgrading) add(word().owner());
  } else if (!wants_to_read()) {
    word().for_each_reader(add);
  }
  return found;
}

void FrameStep::post_atomic(Opcode opcode, std::uint64_t compare, std::uint64_t value, Purpose purpose,
                            std::uint64_t number) {
  LineVerbs& verbs = node.verbs();
  verbs.post_by_thread(
      *work, verbs.atomic(opcode, compare, value,
                          {.purpose = purpose, .line = line, .number = number, .operation = work->operation}));
}

void FrameStep::start_attempt() {
  node.host().cancel_timer(*work);
  ++work->attempts;
}

void FrameStep::acquire(Opcode opcode, std::uint64_t part) {
  start_attempt();
  node.verbs().latch_and_read(opcode, part, *work);
}

// To all of them at once: each is to answer exactly once (R5), by the number that it gets here (R6).
void FrameStep::ask() {
  const Case conflict = !word().names_owner() ? Case::writer_against_shared
                        : wants_to_read()     ? Case::reader_against_modified
                                              : Case::writer_against_modified;
  Counters& counters = node.counters();
  sim::Counter& sent = conflict == Case::writer_against_modified   ? counters.asked_modified
                       : conflict == Case::reader_against_modified ? counters.asked_for_reader
                                                                   : counters.asked_shared;
  if (!std::exchange(work->has_asked, true)) ++counters.operations_with_invalidations.value;
  work->asks.clear();
  work->turned_away = false;
  work->asked_at = node.host().now();
  for (const NodeId target : targets()) {
    ++sent.value;
    if (!node.host().has_part_in(target, line)) {
      ++counters.phantom_sharers.value;
      node.coverage().race(races.word_names_an_innocent);
    }
    work->asks.push_back({.whom = target, .number = node.host().take_number()});
    node.verbs().send(target, {.line = line,
                               .number = work->asks.back().number,
                               .sender = node.id(),
                               .conflict = conflict,
                               .priority = work->only_tries ? std::uint8_t{0} : options().priority_of(work->attempts),
                               .tries = work->only_tries,
                               .operation = work->operation});
  }
  if (!options().await_answer) wait_until(work->asked_at + node.host().rtt() * 2);
}

void FrameStep::wait_until(sim::Time end) {
  node.host().cancel_timer(*work);
  node.host().set_timer(*work, end);
}

void FrameStep::install() {
  frame->data = std::move(work->fetched);
  frame->dirty = {};
  node.cache().touch(*frame);
}

void FrameStep::keep_priority() {
  frame->writer_priority = options().priority_of(work->attempts);
}

void FrameStep::answer(Verdict verdict) {
  node.verbs().answer(*message, verdict);
}

void FrameStep::settle_others(bool owners_alone) {
  if (work == nullptr || !options().answer_deferred) return;
  std::vector<Invalidation> kept;
  for (const Invalidation& deferred : std::exchange(work->deferred, {})) {
    if (owners_alone && deferred.conflict == Case::writer_against_shared) {
      kept.push_back(deferred);
    } else {
      node.coverage().race(races.deferred_in_vain);
      node.verbs().answer(deferred, Verdict::gone);
    }
  }
  work->deferred = std::move(kept);
}

void FrameStep::let_writer_in_first() {
  if (!options().spin_waiting || message->priority == 0) return;
  node.host().hold_back(line, node.host().now() + options().spin_per_level * message->priority);
}

void FrameStep::give(std::uint64_t added, Purpose purpose, ObjectRange dirty, bool flushes) {
  LineVerbs& verbs = node.verbs();
  ++node.counters().given.value;
  verbs.forward(*message, *frame, dirty);
  std::vector<models::WorkRequest> batch{verbs.atomic(Opcode::fetch_add, 0, added,
                                                      {.purpose = purpose,
                                                       .line = line,
                                                       .peer = message->sender,
                                                       .number = message->number,
                                                       .operation = message->operation})};
  if (flushes) {
    batch.insert(options().flush_first ? batch.begin() : batch.end(), verbs.flush(*frame, message->operation));
  }
  verbs.post_by_handler(line, batch);
}

void FrameStep::release(bool modified) {
  LineVerbs& verbs = node.verbs();
  const sim::OperationId cause = message != nullptr ? message->operation : sim::OperationId{0u};
  const std::uint64_t part = modified ? LatchWord::modified(node.id()) : LatchWord::shared(node.id());
  const Purpose purpose = posts != nullptr ? Purpose::evict : Purpose::release;
  boost::container::static_vector<models::WorkRequest, 2> batch;
  const models::WorkRequest add = verbs.atomic(Opcode::fetch_add, 0, LatchWord::minus(part),
                                               {.purpose = purpose, .line = line, .operation = cause});
  if (modified && !frame->dirty.empty()) batch.push_back(verbs.flush(*frame, cause));
  batch.insert(options().flush_first ? batch.end() : batch.begin(), add);
  if (posts != nullptr) {
    posts->insert(posts->end(), batch.begin(), batch.end());
  } else {
    verbs.post_by_handler(line, {batch.data(), batch.size()});
  }
}

void FrameStep::release_line(bool modified) {
  Counters& counters = node.counters();
  sim::Counter& evicted = modified ? counters.evicted_modified : counters.evicted_shared;
  ++(posts != nullptr ? evicted : counters.yields).value;
  release(modified);
}

}  // namespace racksim::selcc
