// The lock log: who tells the next holder of a lock that the last one has died. Concordia says nothing of it; all of it
// is ours.
//
// Each node has a witness, another node that keeps a log of its applications' locks: the next memory node in the ring
// that takes part in the incarnation. A lock that an owner has granted is the application's only when an RC WRITE of
// {number of the requester that holds it, block} has completed in the witness's memory. When the node gives the lock
// back it has the witness forget it first, and sends the UNLOCK when that WRITE has completed (the application does not
// wait for it). So whatever a log has, its node had the lock of, and nobody else has got that since. Threads of one node
// that hand a lock over or share it change nothing.
//
// If the node dies, its witness tells the homes of the blocks in that log (node_recovery.hpp): they are orphans. The
// home notes it beside the block's metadata (home_directory.hpp); the witness keeps it too, and tells the home of it
// again in each recovery, until the home says that it is not needed any more: somebody has got the lock, has been told
// by the grant, and has given it back. A home that is down hears of it when it is back.
//
// In a recovery each node writes what it holds to its witness anew, which may be another one now. What the witness had
// before it keeps until all go on.
//
// Limits: if holder and witness have both died before a recovery has ended without either, nobody knows, nor if later
// witness and home have. Who is the only node left has no witness. While a witness is dead, and no recovery has ended
// without it, its nodes neither get locks nor do others get those that they give back.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "protocols/flowcc/node/network.hpp"

namespace racksim::flowcc {

/// What a node knows of locks that are not its own, and who its witness is.
class LockLog {
 public:
  LockLog(const Shared& shared, NodeId node) : shared_(shared), node_(node) { choose_witness(); }

  /// Who keeps the log of this node's locks in this incarnation. None if nobody is there, or nothing is logged.
  std::optional<NodeId> witness() const { return witness_; }
  /// All have stopped, and those who take part in this incarnation are known.
  void choose_witness();

  // As a witness.

  /// A WRITE has landed in the log.
  void written(const LoggedLock& lock);
  /// Those who are known to be dead leave orphans.
  void holders_died();
  /// All go on: who takes part has written its locks anew.
  void drop_old();
  /// A holder has been told of the last one's death, and has given the block's lock back.
  void told(Tag tag) { orphans_.erase(tag); }
  const std::set<Tag>& orphans() const { return orphans_; }
  /// Whether the lock of a block that a requester holds is in the log.
  bool has(unsigned requester, Tag tag) const {
    const auto entry = entries_.find(requester);
    return entry != entries_.end() && entry->second.tag == tag;
  }
  /// Calls `visit(requester, tag)` for all that is in the log.
  template <class Visit>
  void visit(Visit&& visit) const {
    for (const auto& [requester, entry] : entries_) visit(requester, entry.tag);
  }

  /// The node has crashed, and knows nothing any more.
  void crash() {
    entries_.clear();
    orphans_.clear();
  }

 private:
  struct Entry {
    Tag tag;
    std::uint32_t incarnation = 0;  ///< in which it was written
  };
  std::uint32_t incarnation() const { return shared_.incarnations[node_]; }

  const Shared& shared_;
  NodeId node_;
  std::optional<NodeId> witness_;
  std::map<unsigned, Entry> entries_;  // by requester
  std::set<Tag> orphans_;
};

}  // namespace racksim::flowcc
