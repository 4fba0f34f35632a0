// Events of a cache's keys, each through its table. See cache.hpp.
#include "protocols/cckvs/keys/cache.hpp"

#include <algorithm>
#include <limits>

#include "sim/kernel/invariant.hpp"

namespace racksim::cckvs {

Cache::Cache(NodeId self, std::uint32_t nodes, const Rules& rules, Outbox& outbox, sim::CoverageProbe coverage)
    : keys_{.self = self,
            .nodes = nodes,
            .rules = rules.in_effect(),
            .order = TimestampOrder(static_cast<unsigned>(rules.version_bits), rules.tie_break),
            .most_puts = rules.bounded_puts ? rules.puts_at_once(nodes) : std::numeric_limits<std::uint64_t>::max(),
            .outbox = outbox},
      most_puts_together_(keys_.rules.puts_together(nodes)),
      coverage_(coverage) {}

void Cache::install(sim::Key key, Timestamp timestamp, sim::Value value) {
  RACKSIM_INVARIANT(work(key) == nullptr, "a key is installed while something is under way about it");
  Entry& entry = keys_.entries[key];
  entry = {};
  entry.header.set(timestamp);
  entry.value = value;
}

void Cache::remove(sim::Key key) {
  RACKSIM_INVARIANT(work(key) == nullptr, "a key is removed while something is under way about it");
  keys_.entries.erase(key);
}

std::vector<Stalled> Cache::withdraw_stalled(sim::Key key) {
  std::vector<Stalled> stalled;
  if (Work* work = keys_.work.find(key)) stalled.swap(work->stalled);
  keys_.work.free_if_empty(key);
  return stalled;
}

void Cache::get(sim::Key key, sim::OperationId operation) {
  KeyStep step{.at = keys_, .key = key, .entry = *keys_.entries.find(key), .operation = operation};
  if (keys_.rules.consistency == Consistency::sc) return execute(step, ScEvent::get);
  lin_table().on(step.entry.header.state, LinEvent::get, step, coverage_);
}

void Cache::put(sim::Key key, sim::OperationId operation, sim::Value value) {
  Entry& entry = *keys_.entries.find(key);
  if (keys_.rules.consistency == Consistency::lin) return begin_put(key, entry, {operation, true, value}, false);
  KeyStep step{.at = keys_, .key = key, .entry = entry, .operation = operation, .value = value};
  execute(step, ScEvent::put);
}

void Cache::begin_put(sim::Key key, Entry& entry, const Stalled& put, bool on_top) {
  KeyStep step{
      .at = keys_, .key = key, .entry = entry, .operation = put.operation, .value = put.value, .on_top = on_top};
  execute(step, LinEvent::put);
}

void Cache::receive(NodeId from, const CacheMessage& message) {
  const auto& [key, value, timestamp, type, to_one] = message;
  Entry* entry = keys_.entries.find(key);
  if (entry == nullptr) {
    const CacheMessage known{.key = key, .timestamp = timestamp, .type = CacheMessage::Type::acknowledgement};
    if (type == CacheMessage::Type::invalidation) keys_.outbox.send(from, known, 0);
    return;
  }
  KeyStep step{.at = keys_, .key = key, .entry = *entry, .value = value, .timestamp = timestamp, .from = from};
  if (keys_.rules.consistency == Consistency::lin) return execute(step, event_of(step, type));
  const bool newer = keys_.order.after(timestamp, entry->header.timestamp());
  execute(step, newer ? ScEvent::newer_upd : ScEvent::older_upd);
}

void Cache::time_out(sim::Key key) {
  KeyStep step{.at = keys_, .key = key, .entry = *keys_.entries.find(key)};
  lin_table().on(step.entry.header.state, LinEvent::timeout, step, coverage_);
}

// It depends on the timestamps of the message and the key.
LinEvent Cache::event_of(const KeyStep& step, CacheMessage::Type type) {
  const Timestamp known = step.entry.header.timestamp();
  const bool same = step.timestamp == known;
  switch (type) {
    case CacheMessage::Type::invalidation: {
      const bool newer = keys_.order.after(step.timestamp, known);
      return same ? LinEvent::same_inv : newer ? LinEvent::newer_inv : LinEvent::older_inv;
    }
    case CacheMessage::Type::acknowledgement: {
      Work* work = keys_.work.find(step.key);
      const Put* put = work == nullptr ? nullptr : work->find(step.timestamp);
      if (put != nullptr && put->superseded) return LinEvent::lost_ack;
      return same && step.timestamp.node == keys_.self ? LinEvent::same_ack : LinEvent::other_ack;
    }
    case CacheMessage::Type::update:
      return same ? LinEvent::same_upd : LinEvent::other_upd;
  }
  return {};
}

// After the row who waited goes on, and the key's work is put away if there is none left.
void Cache::execute(KeyStep& step, LinEvent event) {
  const CacheState& state = step.entry.header.state;
  const bool was_valid = state == CacheState::valid;
  lin_table().on(step.entry.header.state, event, step, coverage_);
  const bool is_valid = state == CacheState::valid;
  if (is_valid != was_valid) keys_.outbox.readable(step.key, is_valid);
  if (is_valid) let_stalled_go_on(step.key, step.entry);
  keys_.work.free_if_empty(step.key);
}

void Cache::execute(KeyStep& step, ScEvent event) {
  ScState state = ScState::valid;
  sc_table().on(state, event, step, coverage_);
}

// In order, each put has all behind it wait for its round trip: of a key that is put more often than each node can so,
// more and more operations wait, whatever the network could carry.
void Cache::let_stalled_go_on(sim::Key key, Entry& entry) {
  Work* work = keys_.work.find(key);
  if (work == nullptr) return;
  if (keys_.rules.stalled == Rules::Stalled::together) {
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
  keys_.entries[key] = entry;
  keys_.work.of(key) = work;
  keys_.work.free_if_empty(key);
}

}  // namespace racksim::cckvs
