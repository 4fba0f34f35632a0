// A memory node's part in a recovery (recovery.hpp): it stops, saves what is on its way home, tells what it caches, and
// rebuilds the metadata of its own blocks.
//
// The paper has cache agents report what is in caches (Concordia §5.4). That alone loses acknowledged writes, which is
// why two more things are kept: the data of a write-back, until it has completed, and the last dirty block that a cache
// agent has invalidated or downgraded for each requester, until that requester's next request. What the requester
// aborted, the agent writes home.
#pragma once

#include <cstdint>
#include <vector>

#include "protocols/flowcc/hotness.hpp"
#include "protocols/flowcc/network.hpp"
#include "sim/kernel/waiting.hpp"

namespace racksim::flowcc {

class MemoryNode;

/// An event that was under way when all stopped.
struct AbortedEvent {
  unsigned requester = 0;
  std::uint32_t seq = 0;
};

class NodeRecovery {
 public:
  NodeRecovery(Shared& shared, MemoryNode& node);

  /// Whether application threads stand still.
  bool stopped() const { return stopped_; }
  /// Notified when they may go on.
  sim::Signal& resumed() { return resumed_; }

  /// A cache agent has given a dirty block away, or downgraded it, for an event.
  void gave_away(RequesterId requester, Seq seq, Tag tag, sim::Value value);
  /// And has a new request of that requester.
  void forget(RequesterId requester) {
    if (!given_away_.empty()) given_away_[requester].held = false;
  }

  // The steps, in their order. Each can be repeated, as a recovery that begins again does.

  /// Aborts what is under way and joins the new incarnation: nothing of the old one is accepted any more.
  void stop(std::uint32_t incarnation, std::vector<AbortedEvent>& aborted);
  /// Connects its queue pairs anew, as the others do theirs.
  void connect();
  /// Writes home what would be lost. Returns whether all has arrived.
  sim::Task<bool> save(const std::vector<AbortedEvent>& aborted);
  /// Tells the homes of all blocks in the cache. Returns whether all has arrived.
  sim::Task<bool> report();
  /// Makes the metadata of the node's blocks from what caches have told.
  sim::Task<void> rebuild();
  void go();

  /// What a cache tells has come.
  void reported(NodeId from, const HeatReport& blocks);
  /// A WRITE of `save` or `report` has ended.
  void completed(const models::Completion& completion);

 private:
  struct GivenAway {
    bool held = false;
    std::uint32_t seq = 0;
    BlockData block{};
  };
  struct Reported {
    NodeId from = 0;
    Heat block{};  ///< counted once if it is dirty
  };
  sim::Task<bool> all_written();
  std::uint32_t incarnation() const;

  Shared& shared_;
  MemoryNode& node_;
  bool stopped_ = false;
  sim::Signal resumed_, written_;
  std::vector<GivenAway> given_away_;   // by requester
  std::vector<BlockData> write_backs_;  // under way when all stopped
  std::vector<Reported> reports_;
  std::uint64_t writing_ = 0;
  bool write_failed_ = false;
};

}  // namespace racksim::flowcc
