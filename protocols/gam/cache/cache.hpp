// The cache of a node: its copies of other nodes' lines, and the requests for them (GAM §2.2, §2.6).
//
// The worker calls it, one event after the other; nothing here waits. What cannot be done now is in the pending list of
// its line, which is looked at again, from its beginning, whenever the line comes to a stable state or a lock is given
// back.
#pragma once

#include <optional>
#include <vector>

#include "models/service/protocol.hpp"
#include "protocols/gam/cache/cache_step.hpp"

namespace racksim::gam {

class Cache {
 public:
  Cache(Shared& shared, Output& output);

  /// An access or a lock of a line whose home is another node.
  void access(Request& request);
  /// A thread gives back its lock of a line.
  void unlock(sim::Key line);
  /// A control message of another node.
  void take(const Message& message);
  /// A reply or notification; `data` is null without a line, `counter` 0 without one.
  void take(const Immediate& immediate, LineData* data, std::uint32_t counter);
  /// Evicts while the cache has more lines than its threshold (§2.6), those left out that are on their way home. What
  /// is in transition, locked or waited for stays, until it comes to rest.
  void trim();

  const Frames& frames() const { return copies_.frames; }
  Frames& frames() { return copies_.frames; }
  /// For warming up: the number of a request that was granted at once, and an LRU list as an access draws it.
  std::uint32_t next_number() { return copies_.numbers.next(); }
  void touch(Frame& frame) { copies_.touch(frame); }
  /// What the next eviction is of.
  Frame* victim() { return copies_.victim(); }
  /// What a request or write-back under way is about; nothing if there is none of this number.
  std::optional<sim::Key> line_of(std::uint32_t number) const { return copies_.numbers.line_of(number); }

  // Failures of other nodes, and recovery (recovery.hpp).
  /// A node is taken for dead: of its lines only those that are owned or locked here stay.
  void cut_off(NodeId lost);
  /// Whether it waits for what this request has asked for.
  bool awaits(const Message& asked) const { return line_of(asked.request) == asked.line; }
  /// Takes back a line that the log says it owns; its home knows the copy by this number.
  void restore(sim::Key line, const LogEntry& entry, std::uint32_t number);
  /// Asks anew for what it awaits of a home that has come back.
  void ask_again(NodeId home);

  /// Nothing that it has may be used any more.
  void record_no_permission() const;

  void crash();
  bool quiescent() const { return copies_.works == 0; }
  void add_waits(std::vector<sim::Wait>& waits) const;
  void add_leaks(std::vector<models::Leak>& leaks) const;

 private:
  void raise(CacheEvent event, CacheStep step);
  void execute(Request& request, Frame& frame);
  void drop_late(std::uint64_t line, std::uint64_t request);
  /// Looks at what waits for the line, in its order, as long as the line is stable; then frees what has nothing.
  void settle(Frame& frame);
  std::vector<sim::Key> lines_of(NodeId home) const;

  Shared& shared_;
  Output& output_;
  Copies copies_;
};

}  // namespace racksim::gam
