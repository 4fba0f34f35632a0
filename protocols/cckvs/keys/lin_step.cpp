// Guards and actions of Lin's transition table. See lin_step.hpp.
#include "protocols/cckvs/keys/lin_step.hpp"

#include <algorithm>

#include "protocols/cckvs/keys/cache.hpp"

namespace racksim::cckvs {

sim::KeyAndOperations LinStep::key_and_operations() const {
  sim::KeyAndOperations about{key, {}};
  if (operation != 0) about.operations.push_back(operation);
  return about;
}

bool LinStep::reads_old_in_write() const {
  return cache.rules_.get_in_write == Rules::GetInWrite::old_value;
}
bool LinStep::reads_new_in_write() const {
  return cache.rules_.get_in_write == Rules::GetInWrite::new_value;
}
bool LinStep::reads_invalid() const {
  return !cache.rules_.invalid_state;
}
bool LinStep::starts_at_once() const {
  return on_top || cache.rules_.start_at_once;
}
bool LinStep::equal_invalidates() const {
  return !cache.rules_.equal_ignored;
}
bool LinStep::losers_return_at_once() const {
  return cache.rules_.losers == Rules::Losers::at_once;
}
bool LinStep::acknowledges_losers() const {
  return cache.rules_.losers == Rules::Losers::acked;
}
bool LinStep::retransmits() const {
  return cache.rules_.retransmit;
}
bool LinStep::takes_any_update() const {
  return !cache.rules_.update_timestamps;
}
bool LinStep::resends() const {
  return cache.rules_.resend_invalidations;
}
bool LinStep::asks() const {
  return cache.rules_.ask_for_updates;
}

// Whether the put has all acknowledgements with this one.
bool LinStep::is_last(const Put& put) const {
  const std::uint32_t needed = cache.nodes_ - (cache.rules_.all_acks ? 1 : 2);
  const bool counts = !cache.rules_.ack_set || !put.acknowledged.test(from);
  return put.acks + (counts ? 1 : 0) >= needed;
}
bool LinStep::completes() const {
  return is_last(*cache.work_of(key).current());
}
bool LinStep::counts_any() const {
  return !cache.rules_.ack_timestamps;
}
bool LinStep::completes_any() const {
  return counts_any() && completes();
}
bool LinStep::completes_loser() const {
  return acknowledges_losers() && is_last(*cache.work_of(key).find(timestamp));
}

void LinStep::answer() {
  cache.outbox_.answered(operation, key, entry.value);
}
void LinStep::answer_new() {
  cache.outbox_.answered(operation, key, cache.work_of(key).current()->value);
}
void LinStep::stall() {
  cache.work_of(key).stalled.push_back({operation, value != 0, value});
  cache.outbox_.stalled(operation, key);
}

void LinStep::begin() {
  const Timestamp mine = cache.order_.next(entry.header.timestamp(), cache.self_);
  entry.header.set(mine);
  entry.header.acks = 0;
  cache.work_of(key).puts.push_back({operation, mine, value, {}});
  cache.outbox_.invalidate_all(key, mine, operation);
}

void LinStep::take_timestamp() {
  entry.header.set(timestamp);
}
void LinStep::acknowledge() {
  cache.outbox_.acknowledge(from, key, timestamp);
}

void LinStep::supersede() {
  Put* put = cache.work_of(key).current();
  if (put != nullptr) put->superseded = true;
}

// They come just before the put that the key has now: every node knows that one, so none reads what was before.
void LinStep::return_superseded() {
  Work* work = cache.find_work(key);
  if (work == nullptr || cache.rules_.losers == Rules::Losers::blocked) return;
  for (const Put& put : work->puts) {
    if (put.superseded) cache.outbox_.returned(put.operation, key, true);
  }
  std::erase_if(work->puts, [](const Put& put) { return put.superseded; });
}

void LinStep::count(Put& put) const {
  if (cache.rules_.ack_set && put.acknowledged.test(from)) return;
  put.acknowledged.set(from);
  ++put.acks;
}
void LinStep::count_ack() {
  Put& put = *cache.work_of(key).current();
  count(put);
  entry.header.acks = static_cast<std::uint8_t>(std::min<std::uint32_t>(put.acks, 255));
}
void LinStep::count_loser() {
  count(*cache.work_of(key).find(timestamp));
}
void LinStep::return_loser() {
  Work& work = cache.work_of(key);
  cache.outbox_.returned(work.find(timestamp)->operation, key, true);
  std::erase_if(work.puts, [this](const Put& put) { return put.timestamp == timestamp; });
}

void LinStep::commit() {
  Work& work = cache.work_of(key);
  const Put put = *work.current();
  work.puts.pop_back();
  entry.value = put.value;
  cache.outbox_.committed(put.operation, key, put.timestamp, put.value);
  cache.outbox_.update_all(key, put.timestamp, put.value, put.operation);
  cache.outbox_.returned(put.operation, key, false);
}

void LinStep::take_value() {
  entry.value = value;
}

void LinStep::resend_invalidations() {
  const Put& put = *cache.work_of(key).current();
  for (NodeId node = 0; node < cache.nodes_; ++node) {
    if (node == cache.self_ || put.acknowledged.test(node)) continue;
    cache.outbox_.invalidate_one(node, key, put.timestamp, put.operation);
  }
}
void LinStep::resend_update() {
  cache.outbox_.update_one(from, key, entry.header.timestamp(), entry.value);
}
// The writer is Valid with exactly this timestamp, and answers; or it has not got all acknowledgements, and counts this
// one; or it has lost against a put whose invalidation is on its way here.
void LinStep::ask_for_update() {
  cache.outbox_.acknowledge(entry.header.writer, key, entry.header.timestamp());
}

}  // namespace racksim::cckvs
