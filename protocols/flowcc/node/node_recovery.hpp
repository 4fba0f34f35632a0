// A memory node's part in a recovery (recovery.hpp): it stops, saves what is on its way home, tells what it caches, and
// rebuilds the metadata of its own blocks.
//
// The paper has cache agents report what is in caches (Concordia §5.4). That alone loses acknowledged writes, which is
// why two more things are kept: the data of a write-back, until it has completed, and the last dirty block that a cache
// agent has invalidated or downgraded for each requester, until that requester's next request.
//
// Whether the requester has had what was given to it, has changed it, has given it on to one that is dead, or has
// written it home, nobody knows. So blocks have versions (network.hpp): what was given away is reported beside what is
// cached, and a home whose memory is older than the newest copy that is left, clean ones included, asks for that. A
// home that has lost its memory gets its blocks back in the same way; until then what was on its way to it is kept.
//
// Locks that applications hold are reported too, and written to their witness anew; witnesses of the dead tell of theirs
// (lock_log.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "protocols/flowcc/node/block_locks.hpp"
#include "protocols/flowcc/node/cache_agent.hpp"
#include "protocols/flowcc/node/home_agent.hpp"
#include "protocols/flowcc/node/requester.hpp"

namespace racksim::flowcc {

class NodeRecovery {
 public:
  /// The parts of the node that have something to stop, to tell or to learn.
  struct Parts {
    const std::vector<std::unique_ptr<Requester>>& requesters;
    const BlockLocks& locks;
    HomeAgent& home_agent;
    CacheAgent& cache_agent;
  };
  NodeRecovery(Shared& shared, NodeState& node, const Parts& parts)
      : shared_(shared), node_(node), parts_(parts), writes_(parts.cache_agent.recovery_writes()) {}

  // The steps, in their order. Each can be repeated, as a recovery that begins again does.

  /// Aborts what is under way and joins the new incarnation: nothing of the old one is accepted any more.
  void stop(std::uint32_t incarnation);
  /// Connects its queue pairs anew, as the others do theirs.
  void connect();
  /// Writes home what would be lost. Returns whether all has arrived.
  sim::Task<bool> save();
  /// Tells the homes of all blocks in the cache. Returns whether all has arrived.
  sim::Task<bool> report();
  /// Makes the metadata of the node's blocks from what caches have told, and asks for data that its memory has not.
  /// Returns whether all has arrived.
  sim::Task<bool> rebuild();
  /// Writes what homes have asked for. Returns whether all has arrived.
  sim::Task<bool> supply();
  void go();
  /// As printed: ends when nothing is under way, if ever.
  sim::Task<void> drain();

  /// A node is dead: its requesters may come again, with numbers from 1.
  void forget_requesters_of(NodeId dead);
  /// The node has crashed, and knows nothing any more; its threads stand still until it is taken back.
  void crash();
  /// Calls `visit(block)` for whatever is kept here that may be all that is left of an acknowledged write.
  template <class Visit>
  void visit_kept(Visit&& visit) const {
    parts_.cache_agent.given_away().visit(visit);
    for (const BlockData& block : write_backs_) visit(block);
    for (const BlockData& block : homeless_) visit(block);
  }

  /// What a cache tells has come.
  void reported(NodeId from, const HeatReport& blocks) {
    for (std::uint32_t i = 0; i < blocks.size; ++i) reports_.push_back({from, blocks.blocks[i]});
  }
  /// And what a home asks for.
  void asked_for(const HeatReport& blocks) { wanted_.push_back(blocks); }
  /// A home says that the next holders of orphaned locks have been told.
  void told(const HeatReport& blocks) {
    for (std::uint32_t i = 0; i < blocks.size; ++i) node_.lock_log().told(blocks.blocks[i].tag);
  }

 private:
  /// What a node has of a block.
  enum class Copy : std::uint8_t {
    clean,
    dirty,
    kept,     ///< by the cache agent, or on its way home
    locked,   ///< an application has its lock: then the number is not the version but that of `lock_number`
    orphaned  ///< somebody has died with its lock, says a log that this node keeps (lock_log.hpp)
  };
  struct Reported {
    NodeId from = 0;
    Heat block{};  ///< its count is that of `report_of`
  };
  static std::uint32_t lock_number(unsigned requester, bool read) { return requester << 1 | (read ? 1 : 0); }
  static constexpr unsigned kCopyBits = 3;
  static std::uint32_t report_of(Copy copy, std::uint32_t version) {
    return version << kCopyBits | static_cast<std::uint32_t>(copy);
  }
  std::uint32_t incarnation() const { return shared_.incarnations[node_.id()]; }
  /// What may be newer than memory, beside what is cached: all that was given away, since whoever got it may have given
  /// it on to the dead, and what is of a home that has died.
  std::vector<BlockData> kept() const;
  BlockData newest_of(Tag tag) const;

  Shared& shared_;
  NodeState& node_;
  const Parts parts_;
  RecoveryWrites& writes_;
  std::vector<BlockData> write_backs_;  // under way when all stopped
  std::vector<BlockData> homeless_;     // that could not be written home, for it was down
  std::vector<HeatReport> wanted_;
  std::vector<Reported> reports_;
};

}  // namespace racksim::flowcc
