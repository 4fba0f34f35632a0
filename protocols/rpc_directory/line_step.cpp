// Guards and actions of a line's transition table. See line_step.hpp.
#include <utility>
#include <vector>

#include "protocols/rpc_directory/compute_node.hpp"
#include "protocols/rpc_directory/coverage.hpp"
#include "protocols/rpc_directory/verbs.hpp"
#include "sim/kernel/invariant.hpp"

namespace racksim::rpc_directory {

sim::KeyAndOperations LineStep::key_and_operations() const {
  sim::KeyAndOperations about{node.shared_.lines.object_of(line, 0), {}};
  if (work != nullptr && work->operation != 0) about.operations.push_back(work->operation);
  return about;
}

bool LineStep::is_stale() const {
  return node.options().versions && message->version != frame->version;
}
bool LineStep::is_early() const {
  return node.options().defer_early && message->version == work->request;
}
bool LineStep::in_use() const {
  return node.options().defer_in_use && frame->latch != 0;
}

void LineStep::hit() {
  node.cache_.touch(*frame);
}

void LineStep::request(MessageKind kind) {
  work->request = node.next_request_++;
  const Message asked{.line = line,
                      .request = work->request,
                      .version = frame->version,
                      .sender = node.id_,
                      .endpoint = static_cast<std::uint16_t>(work->thread),
                      .kind = kind,
                      .operation = work->operation};
  post_message(*node.threads_[work->thread].to_memory[node.shared_.lines.server_of(line)], asked);
}

void LineStep::request_share() {
  request(MessageKind::read_request);
}
void LineStep::request_exclusive() {
  request(MessageKind::write_request);
}

void LineStep::take() {
  frame->data = std::move(work->page);
  frame->version = work->request;
  node.cache_.touch(*frame);
}

// Without the page only to who has a share: no request of another node can have come between.
void LineStep::take_to_write() {
  if (reply->verdict == Verdict::page) return take();
  RACKSIM_INVARIANT(frame->state == LineState::upgrading, "who is granted an upgrade has a share");
  frame->version = work->request;
  node.cache_.touch(*frame);
}

// By the handler's queue pair: one for each thread and node would be more than a NIC's cache of them holds.
void LineStep::ask_owner() {
  const bool reads = frame->state == LineState::asking_shared;
  const Message asked{.line = line,
                      .request = work->request,
                      .version = reply->owner_version,
                      .sender = node.id_,
                      .endpoint = static_cast<std::uint16_t>(work->thread),
                      .kind = reads ? MessageKind::share : MessageKind::give,
                      .operation = work->operation};
  post_message(*node.peers_[reply->owner], asked);
}

void LineStep::acknowledge() {
  node.tell_home(*message, MessageKind::acknowledged);
}

// Its copy has been evicted: the home will learn, or has learnt, of that by the eviction itself.
void LineStep::note_stale() {
  ++node.counters().stale.value;
  node.shared_.coverage.race(message->kind == MessageKind::invalidate ? RacePoint::eviction_meets_invalidation
                                                                      : RacePoint::eviction_meets_copy_request);
}

void LineStep::note_lost_share() {
  node.shared_.coverage.race(RacePoint::upgrade_loses_share);
}

void LineStep::defer() {
  if (!readable(frame->state)) node.shared_.coverage.race(RacePoint::message_before_page);
  ++node.counters().deferred.value;
  node.works_.of(*frame).deferred.push_back(*message);
}

void LineStep::drop_copy() {
  frame->data.clear();
  frame->version = 0;
}

void LineStep::hand_over() {
  ++node.counters().given.value;
  node.give_page(*message, *frame);
  node.tell_home(*message, MessageKind::handed_over);
}

// The version of what stays is the same.
void LineStep::share_out() {
  ++node.counters().shared_out.value;
  node.give_page(*message, *frame);
  node.write_back_and_tell(*frame, node.options().write_back_shared, MessageKind::shared_out, message->operation);
}

void LineStep::notify_evicted() {
  ++node.counters().evicted_shared.value;
  node.write_back_and_tell(*frame, false, MessageKind::evicted, 0);
}

void LineStep::write_back() {
  ++node.counters().evicted_exclusive.value;
  node.write_back_and_tell(*frame, true, MessageKind::written_back, 0);
}

}  // namespace racksim::rpc_directory
