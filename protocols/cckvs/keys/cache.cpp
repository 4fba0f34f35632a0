// Events of a cache's keys, each through its table. See cache.hpp.
#include "protocols/cckvs/keys/cache.hpp"

#include <algorithm>

#include "protocols/cckvs/keys/lin_step.hpp"
#include "protocols/cckvs/keys/sc_step.hpp"
#include "sim/kernel/invariant.hpp"

namespace racksim::cckvs {

Cache::Cache(NodeId self, std::uint32_t nodes, const Rules& rules, Outbox& outbox, sim::CoverageProbe coverage)
    : self_(self),
      nodes_(nodes),
      rules_(rules.in_effect()),
      most_puts_together_(rules_.puts_together(nodes)),
      order_(static_cast<unsigned>(rules.version_bits), rules.tie_break),
      outbox_(outbox),
      coverage_(coverage) {}

void Cache::install(sim::Key key, Timestamp timestamp, sim::Value value) {
  RACKSIM_INVARIANT(find_work(key) == nullptr, "a key is installed while something is under way about it");
  Entry& entry = entries_[key];
  entry = {};
  entry.header.set(timestamp);
  entry.value = value;
}

void Cache::remove(sim::Key key) {
  RACKSIM_INVARIANT(find_work(key) == nullptr, "a key is removed while something is under way about it");
  entries_.erase(key);
}

const Work* Cache::work(sim::Key key) const {
  const std::uint32_t* index = busy_.find(key);
  return index == nullptr ? nullptr : &works_[*index];
}

Work* Cache::find_work(sim::Key key) {
  const std::uint32_t* index = busy_.find(key);
  return index == nullptr ? nullptr : &works_[*index];
}

Work& Cache::work_of(sim::Key key) {
  if (Work* work = find_work(key)) return *work;
  if (free_works_.empty()) {
    free_works_.push_back(static_cast<std::uint32_t>(works_.size()));
    works_.emplace_back();
  }
  busy_[key] = free_works_.back();
  free_works_.pop_back();
  return works_[busy_[key]];
}

void Cache::free_work_if_empty(sim::Key key) {
  const std::uint32_t* index = busy_.find(key);
  if (index == nullptr || !works_[*index].empty()) return;
  free_works_.push_back(*index);
  busy_.erase(key);
}

std::vector<Stalled> Cache::withdraw_stalled(sim::Key key) {
  Work* work = find_work(key);
  if (work == nullptr) return {};
  std::vector<Stalled> stalled;
  stalled.swap(work->stalled);
  free_work_if_empty(key);
  return stalled;
}

void Cache::get(sim::Key key, sim::OperationId operation) {
  Entry& entry = *entries_.find(key);
  if (rules_.consistency == Consistency::sc) {
    ScStep step{.cache = *this, .key = key, .entry = entry, .operation = operation};
    return ScStep::execute(ScEvent::get, step, coverage_);
  }
  LinStep step{.cache = *this, .key = key, .entry = entry, .operation = operation};
  LinStep::execute(LinEvent::get, step, coverage_);
}

void Cache::put(sim::Key key, sim::OperationId operation, sim::Value value) {
  Entry& entry = *entries_.find(key);
  if (rules_.consistency == Consistency::sc) {
    ScStep step{.cache = *this, .key = key, .entry = entry, .operation = operation, .value = value};
    return ScStep::execute(ScEvent::put, step, coverage_);
  }
  begin_put(key, entry, {operation, true, value}, false);
}

void Cache::begin_put(sim::Key key, Entry& entry, const Stalled& put, bool on_top) {
  const bool was_valid = entry.header.state == CacheState::valid;
  LinStep step{
      .cache = *this, .key = key, .entry = entry, .operation = put.operation, .value = put.value, .on_top = on_top};
  LinStep::execute(LinEvent::put, step, coverage_);
  finish(key, entry, was_valid);
}

void Cache::receive_invalidation(NodeId from, sim::Key key, Timestamp timestamp) {
  Entry* entry = entries_.find(key);
  if (entry == nullptr) return outbox_.acknowledge(from, key, timestamp);
  LinStep step{.cache = *this, .key = key, .entry = *entry, .timestamp = timestamp, .from = from};
  execute(step, LinMessage::invalidation);
}

void Cache::receive_acknowledgement(NodeId from, sim::Key key, Timestamp timestamp) {
  Entry* entry = entries_.find(key);
  if (entry == nullptr) return;
  LinStep step{.cache = *this, .key = key, .entry = *entry, .timestamp = timestamp, .from = from};
  execute(step, LinMessage::acknowledgement);
}

void Cache::receive_update(NodeId from, sim::Key key, Timestamp timestamp, sim::Value value) {
  Entry* entry = entries_.find(key);
  if (entry == nullptr) return;
  if (rules_.consistency == Consistency::sc) {
    ScStep step{.cache = *this, .key = key, .entry = *entry, .value = value, .timestamp = timestamp};
    const bool newer = order_.after(timestamp, entry->header.timestamp());
    return ScStep::execute(newer ? ScEvent::newer_update : ScEvent::older_update, step, coverage_);
  }
  LinStep step{.cache = *this, .key = key, .entry = *entry, .value = value, .timestamp = timestamp, .from = from};
  execute(step, LinMessage::update);
}

void Cache::time_out(sim::Key key) {
  LinStep step{.cache = *this, .key = key, .entry = *entries_.find(key)};
  LinStep::execute(LinEvent::timeout, step, coverage_);
}

// What a message is to the key depends on their timestamps.
void Cache::execute(LinStep& step, LinMessage message) {
  const Timestamp known = step.entry.header.timestamp();
  const bool same = step.timestamp == known;
  LinEvent event{};
  switch (message) {
    case LinMessage::invalidation:
      event = same                                  ? LinEvent::same_invalidation
              : order_.after(step.timestamp, known) ? LinEvent::newer_invalidation
                                                    : LinEvent::older_invalidation;
      break;
    case LinMessage::acknowledgement: {
      Work* work = find_work(step.key);
      const Put* put = work == nullptr ? nullptr : work->find(step.timestamp);
      event = put != nullptr && put->superseded      ? LinEvent::superseded_ack
              : same && step.timestamp.node == self_ ? LinEvent::current_ack
                                                     : LinEvent::other_ack;
      break;
    }
    case LinMessage::update:
      event = same ? LinEvent::same_update : LinEvent::other_update;
      break;
  }
  const bool was_valid = step.entry.header.state == CacheState::valid;
  LinStep::execute(event, step, coverage_);
  finish(step.key, step.entry, was_valid);
}

void Cache::finish(sim::Key key, Entry& entry, bool was_valid) {
  const bool is_valid = entry.header.state == CacheState::valid;
  if (is_valid != was_valid) outbox_.readable(key, is_valid);
  if (is_valid) let_stalled_go_on(key, entry);
  free_work_if_empty(key);
}

// In order, each put has all behind it wait for its round trip: of a key that is put more often than each node can so,
// more and more operations wait, whatever the network could carry.
void Cache::let_stalled_go_on(sim::Key key, Entry& entry) {
  Work* work = find_work(key);
  if (work == nullptr) return;
  if (rules_.stalled == Rules::Stalled::together) {
    std::stable_partition(work->stalled.begin(), work->stalled.end(), [](const Stalled& s) { return !s.is_put; });
  }
  std::uint64_t puts = 0;
  auto next = work->stalled.begin();
  for (; next != work->stalled.end(); ++next) {
    const bool on_top = entry.header.state != CacheState::valid;
    if (on_top && (!next->is_put || puts == most_puts_together_)) break;
    if (next->is_put) {
      begin_put(key, entry, *next, on_top);
      ++puts;
    } else {
      get(key, next->operation);
    }
  }
  work->stalled.erase(work->stalled.begin(), next);
}

void Cache::restore(sim::Key key, const Entry& entry, const Work& work) {
  entries_[key] = entry;
  work_of(key) = work;
  free_work_if_empty(key);
}

}  // namespace racksim::cckvs
