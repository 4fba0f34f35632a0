// The cache of a node: its copies of other nodes' lines, and the requests for them (GAM §2.2, §2.6).
//
// The worker calls it, one event after the other; nothing here waits. What cannot be done now is in the pending list of
// its line, which is looked at again, from its beginning, whenever the line comes to a stable state or a lock is given
// back.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "models/service/protocol.hpp"
#include "protocols/gam/cache/cache_step.hpp"
#include "protocols/gam/cache/cache_work.hpp"
#include "protocols/gam/log/log.hpp"
#include "protocols/gam/rules/request.hpp"
#include "protocols/gam/rules/shared.hpp"
#include "sim/random/random.hpp"
#include "sim/record/flat_map.hpp"

namespace racksim::gam {

class Node;

class Cache {
 public:
  Cache(Shared& shared, Node& node);

  /// An access or a lock of a line whose home is another node.
  void access(Request& request);
  /// A thread gives back its lock of a line.
  void unlock(sim::Key line);
  /// A control message of another node.
  void take(const Message& message);
  /// A reply or notification; `data` is null without a line, `counter` 0 without one.
  void take(const Immediate& immediate, LineData* data, std::uint32_t counter);
  /// Evicts if the cache has more lines than its threshold (§2.6), those left out that are on their way home.
  void trim();

  const Frames& frames() const { return frames_; }
  Frames& frames() { return frames_; }
  /// For warming up: the number of a request that was granted at once, and an LRU list as an access draws it.
  std::uint32_t next_number();
  void touch(Frame& frame);
  /// The oldest line of a list drawn among those that have one.
  Frame& victim();
  /// What a request or write-back under way is about; nothing if there is none of this number.
  std::optional<sim::Key> line_of(std::uint32_t number) const;

  // Failures of other nodes, and recovery (recovery.hpp).
  /// A node is taken for dead: of its lines only those that are owned or locked here stay.
  void cut_off(NodeId lost);
  /// Whether it waits for what this request has asked for.
  bool awaits(const Message& asked) const;
  /// Takes back a line that the log says it owns; its home knows the copy by this number.
  void restore(sim::Key line, const LogEntry& entry, std::uint32_t number);
  /// Asks anew for what it awaits of a home that has come back.
  void ask_again(NodeId home);

  /// Nothing that it has may be used any more.
  void record_no_permission() const;

  void crash();
  bool quiescent() const { return works_ == 0; }
  void add_waits(std::vector<sim::Wait>& waits) const;
  void add_leaks(std::vector<models::Leak>& leaks) const;

 private:
  friend struct CacheStep;

  void raise(CacheEvent event, sim::Key line, Frame* frame, Request* request = nullptr,
             const Message* message = nullptr, LineData* data = nullptr, std::uint32_t counter = 0);
  void execute(Request& request, Frame& frame);
  void drop_late(std::uint64_t line, std::uint64_t request);
  /// Looks at what waits for the line, in its order, as long as the line is stable; then frees what has nothing.
  void settle(Frame& frame);
  void tidy(Frame& frame);
  LineWork& work_of(Frame& frame);
  bool may_evict(const Frame& frame) const;
  const Options& options() const { return shared_.options; }

  Shared& shared_;
  Node& node_;
  Frames frames_;
  sim::RandomStream random_;
  sim::FlatMap<std::uint64_t> lines_;  // of requests and write-backs under way, by their number
  std::uint32_t next_number_ = 0;
  std::size_t works_ = 0;
  std::uint32_t dying_ = 0;                                     // lines that are being written back
  std::vector<std::vector<std::uint32_t>> write_back_buffers_;  // free ones, by home
};

}  // namespace racksim::gam
