// Two-level allocation of global memory (Concordia §6, "Global memory allocation"): the home agents' parts
// (chunk_server.hpp), the threads' (thread_allocator.hpp), and what can be said of both from outside.
//
// Nothing of it is under way unless a workload allocates while the run lasts. Blocks of chunks are their homes', as all
// blocks are until they migrate; only what a workload reserves before the run is installed in the switch.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "protocols/flowcc/allocation/allocation_counters.hpp"
#include "protocols/flowcc/allocation/chunk_server.hpp"
#include "protocols/flowcc/allocation/thread_allocator.hpp"
#include "protocols/flowcc/node/memory_node.hpp"

namespace racksim::flowcc {

class Allocation {
 public:
  /// Chunks are taken from `memory`.
  Allocation(Shared& shared, const std::vector<std::unique_ptr<MemoryNode>>& nodes, models::MemoryAllocator& memory);
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;

  ThreadAllocator& thread(models::Session session) {
    return *threads_[shared_.requester_of(session.node, session.thread)];
  }
  /// Of a piece that begins here and is in use; else 0.
  std::uint64_t size_of(models::GlobalAddress first) const { return pieces_.size_of(first); }
  const ChunkServer& server(NodeId home) const { return *servers_[home]; }

  /// Reports the chunks that the node's threads had, of which what nobody uses is lost, and those of its memory that
  /// threads of others had.
  void node_crashed(NodeId node);
  bool quiescent() const {
    return std::all_of(threads_.begin(), threads_.end(), [](const auto& thread) { return thread->quiescent(); });
  }
  void add_waits(std::vector<sim::Wait>& waits) const;
  /// What a packet of allocation means, for charts; nothing about others.
  static std::optional<models::PacketDescription> describe(const p4::Packet& packet, unsigned threads_per_node);
  /// Requests that are under way, chunks that were given away to a living thread which does not know of them, and parts
  /// of chunks that two have, or nobody.
  std::vector<models::Leak> leaks() const;
  /// Folds into the run hash who has which chunk.
  void record_final_state(sim::Source source) const;

 private:
  double unused_bytes() const;
  void add_wrong_parts(std::vector<models::Leak>& leaks) const;

  Shared& shared_;
  const std::vector<std::unique_ptr<MemoryNode>>& nodes_;
  AllocationCounters counters_;
  Pieces pieces_;
  std::vector<std::unique_ptr<ChunkServer>> servers_;  // by node
  std::vector<models::Qpn> qpns_;                      // theirs
  std::vector<std::unique_ptr<ThreadAllocator>> threads_;
  bool anybody_died_ = false;
};

}  // namespace racksim::flowcc
