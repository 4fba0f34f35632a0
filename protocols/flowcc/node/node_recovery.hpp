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
#pragma once

#include <cstdint>
#include <vector>

#include "protocols/flowcc/node/network.hpp"
#include "protocols/flowcc/rules/hotness.hpp"
#include "sim/kernel/waiting.hpp"

namespace racksim::flowcc {

class MemoryNode;

class NodeRecovery {
 public:
  NodeRecovery(Shared& shared, MemoryNode& node);

  /// Whether application threads stand still.
  bool stopped() const { return stopped_; }
  /// Notified when they may go on.
  sim::Signal& resumed() { return resumed_; }

  /// A cache agent has given a dirty block away to a requester, or downgraded it for that one.
  void gave_away(RequesterId requester, const BlockData& block);
  /// And has a new request of that requester.
  void forget(RequesterId requester) {
    if (!given_away_.empty()) given_away_[requester].held = false;
  }

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

  /// The node has crashed, and knows nothing any more; its threads stand still until it is taken back.
  void crash();
  /// Calls `visit(block)` for whatever is kept here that may be all that is left of an acknowledged write.
  template <class Visit>
  void visit_kept(Visit&& visit) const {
    for (const GivenAway& given : given_away_) {
      if (given.held) visit(given.block);
    }
    for (const BlockData& block : write_backs_) visit(block);
    for (const BlockData& block : homeless_) visit(block);
  }

  /// What a cache tells has come.
  void reported(NodeId from, const HeatReport& blocks);
  /// And what a home asks for.
  void asked_for(const HeatReport& blocks) { wanted_.push_back(blocks); }
  /// A WRITE of a step has ended.
  void completed(const models::Completion& completion);

 private:
  struct GivenAway {
    bool held = false;
    BlockData block{};
  };
  /// What a node has of a block.
  enum class Copy : std::uint8_t {
    clean,
    dirty,
    kept,   ///< by the cache agent, or on its way home
    locked  ///< an application has its lock: then the number is not the version but that of `lock_number`
  };
  struct Reported {
    NodeId from = 0;
    Heat block{};  ///< its count is that of `report_of`
  };
  static std::uint32_t lock_number(unsigned requester, bool read) { return requester << 1 | (read ? 1 : 0); }
  static std::uint32_t report_of(Copy copy, std::uint32_t version) {
    return version << 2 | static_cast<std::uint32_t>(copy);
  }
  /// Lists of blocks, one for each node, that are sent when they are full.
  class Lists;
  void begin_writing();
  void write_home(const BlockData& block);
  sim::Task<bool> all_written();
  std::uint32_t incarnation() const;
  /// What may be newer than memory, beside what is cached: all that was given away, since whoever got it may have given
  /// it on to the dead, and what is of a home that has died.
  std::vector<BlockData> kept() const;
  BlockData newest_of(Tag tag) const;

  Shared& shared_;
  MemoryNode& node_;
  bool stopped_ = false;
  sim::Signal resumed_, written_;
  std::vector<GivenAway> given_away_;   // by requester
  std::vector<BlockData> write_backs_;  // under way when all stopped
  std::vector<BlockData> homeless_;     // that could not be written home, for it was down
  std::vector<HeatReport> wanted_;
  std::vector<Reported> reports_;
  std::uint64_t writing_ = 0;
  bool write_failed_ = false;
};

}  // namespace racksim::flowcc
