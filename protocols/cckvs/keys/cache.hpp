// The symmetric cache of one node, as far as consistency goes: its keys, what is under way about them, and the tables
// of Lin and SC that every event goes through (ccKVS §5.2).
//
// It knows no network, no threads and no clock: what it has to say goes out through its Outbox, and what happens to it
// is called. A rack's node and the exhaustive exploration run this same code.
//
// Memory: 16 bytes a key, 43 to 85 with the map that finds it, and more only for keys that something is under way
// about. A hit costs one look-up and allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "protocols/cckvs/keys/entry.hpp"
#include "protocols/cckvs/keys/outbox.hpp"
#include "protocols/cckvs/keys/rules.hpp"
#include "sim/record/coverage.hpp"
#include "sim/record/flat_map.hpp"

namespace racksim::cckvs {

struct LinStep;
struct ScStep;

class Cache {
 public:
  /// Of node `self` among `nodes`, 2 to 255. The outbox must outlive it.
  Cache(NodeId self, std::uint32_t nodes, const Rules& rules, Outbox& outbox, sim::CoverageProbe coverage = {});

  /// Puts a key in, Valid. Nothing may be under way about it.
  void install(sim::Key key, Timestamp timestamp, sim::Value value);
  /// Takes a key out. Nothing may be under way about it.
  void remove(sim::Key key);
  /// Null if the key is not here. Valid until the next install or remove.
  const Entry* find(sim::Key key) const { return entries_.find(key); }
  /// What is under way about a key; null for nothing.
  const Work* work(sim::Key key) const;
  /// Takes the operations that wait for the key to be Valid out, in their order: somebody else will see to them.
  std::vector<Stalled> withdraw_stalled(sim::Key key);
  const TimestampOrder& order() const { return order_; }
  /// Keys that are here.
  std::size_t size() const { return entries_.size(); }

  // Operations of this node's sessions, on keys that are here. No put writes the value 0.
  void get(sim::Key key, sim::OperationId operation);
  void put(sim::Key key, sim::OperationId operation, sim::Value value);

  // Messages. Those about a key that is not here are old: of invalidations the sender is told so, others are ignored.
  void receive_invalidation(NodeId from, sim::Key key, Timestamp timestamp);
  void receive_acknowledgement(NodeId from, sim::Key key, Timestamp timestamp);
  void receive_update(NodeId from, sim::Key key, Timestamp timestamp, sim::Value value);

  /// Lin with `retransmit`: a key that is here has not been Valid for long.
  void time_out(sim::Key key);

  /// Puts a key with all that is under way about it into the place of what is here.
  void restore(sim::Key key, const Entry& entry, const Work& work);

 private:
  friend struct LinStep;
  friend struct ScStep;
  enum class LinMessage : std::uint8_t { invalidation, acknowledgement, update };

  void execute(LinStep& step, LinMessage message);
  void begin_put(sim::Key key, Entry& entry, const Stalled& put, bool on_top);
  /// The rest of an event after its row: who waited goes on, and the key's work is put away if there is none left.
  void finish(sim::Key key, Entry& entry, bool was_valid);
  void let_stalled_go_on(sim::Key key, Entry& entry);
  Work* find_work(sim::Key key);
  /// Made if there is none.
  Work& work_of(sim::Key key);
  void free_work_if_empty(sim::Key key);

  NodeId self_;
  std::uint32_t nodes_;
  Rules rules_;
  std::uint64_t most_puts_together_;
  TimestampOrder order_;
  Outbox& outbox_;
  sim::CoverageProbe coverage_;
  sim::FlatMap<Entry> entries_;
  sim::FlatMap<std::uint32_t> busy_;  // index of the work of a key that has some
  std::deque<Work> works_;
  std::vector<std::uint32_t> free_works_;
};

}  // namespace racksim::cckvs
