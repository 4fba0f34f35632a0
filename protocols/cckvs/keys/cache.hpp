// The symmetric cache of one node, as far as consistency goes: its keys, what is under way about them, and the tables
// of Lin and SC that every event goes through (ccKVS §5.2).
//
// It knows no network, no threads and no clock: what it has to say goes out through its Outbox, and what happens to it
// is called. A rack's node and the exhaustive exploration run this same code. A hit costs one look-up and allocates
// nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "protocols/cckvs/keys/key_step.hpp"
#include "sim/record/coverage.hpp"

namespace racksim::cckvs {

class Cache {
 public:
  /// Of node `self` among `nodes`, 2 to 255. The outbox must outlive it.
  Cache(NodeId self, std::uint32_t nodes, const Rules& rules, Outbox& outbox, sim::CoverageProbe coverage = {});

  /// Puts a key in, Valid. Nothing may be under way about it.
  void install(sim::Key key, Timestamp timestamp, sim::Value value);
  /// Puts these keys in, into a cache that has none, as nobody has written them; or what another one has so.
  void begin_with(std::span<const sim::Key> keys) {
    for (const sim::Key key : keys) keys_.entries[key];
  }
  void begin_with(const Cache& image) { keys_.entries = image.keys_.entries; }
  /// Takes a key out. Nothing may be under way about it.
  void remove(sim::Key key);
  /// Null if the key is not here. Valid until the next install or remove.
  const Entry* find(sim::Key key) const { return keys_.entries.find(key); }
  /// Of all keys that are here, in the order in which they came, if none has been removed.
  std::span<const Entry> entries() const { return keys_.entries.all(); }
  /// Whether nothing is under way about any key.
  bool at_rest() const { return keys_.work.empty(); }
  /// What is under way about a key; null for nothing.
  const Work* work(sim::Key key) const { return keys_.work.find(key); }
  /// Takes the operations that wait for the key to be Valid out, in their order: somebody else will see to them.
  std::vector<Stalled> withdraw_stalled(sim::Key key);
  const TimestampOrder& order() const { return keys_.order; }
  /// Keys that are here.
  std::size_t size() const { return keys_.entries.size(); }

  // Operations of this node's sessions, on keys that are here. No put writes the value 0.
  void get(sim::Key key, sim::OperationId operation);
  void put(sim::Key key, sim::OperationId operation, sim::Value value);
  void run(sim::Key key, const Stalled& operation) {
    operation.is_put ? put(key, operation.operation, operation.value) : get(key, operation.operation);
  }

  /// One about a key that is not here is old: of an invalidation the sender is told so, others are ignored.
  void receive(NodeId from, const CacheMessage& message);

  /// Lin with `retransmit`: a key that is here has not been Valid for long.
  void time_out(sim::Key key);

  /// Puts a key with all that is under way about it into the place of what is here.
  void restore(sim::Key key, const Entry& entry, const Work& work);

 private:
  LinEvent event_of(const KeyStep& step, CacheMessage::Type type);
  void execute(KeyStep& step, LinEvent event);
  void execute(KeyStep& step, ScEvent event);
  void begin_put(sim::Key key, Entry& entry, const Stalled& put, bool on_top);
  void let_stalled_go_on(sim::Key key, Entry& entry);

  CachedKeys keys_;
  std::uint64_t most_puts_together_;
  sim::CoverageProbe coverage_;
};

}  // namespace racksim::cckvs
