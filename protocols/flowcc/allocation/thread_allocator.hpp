// Global memory as one application thread allocates it (Concordia §6, "Global memory allocation"): it carves pieces of
// chunks that it has, without a message, and when it has no room it selects a memory node and asks its home agent for
// another chunk.
//
// Which node is selected the paper leaves open: as `allocation.from` says, or as the hint of an allocation does. A home
// without room refuses; a thread that may go elsewhere asks all others before it gives up.
//
// A request is sent again after the timeout of coherence requests (§5.3.1), with the same sequence number, until it is
// answered, and its number is not used again. So an answer that comes again is recognised, and none is lost for good.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "protocols/flowcc/allocation/allocation_messages.hpp"
#include "protocols/flowcc/allocation/carver.hpp"
#include "protocols/flowcc/allocation/chunk_server.hpp"
#include "protocols/flowcc/allocation/pieces.hpp"
#include "sim/kernel/waiting.hpp"

namespace racksim::flowcc {

class ThreadAllocator final : public models::PacketHandler {
 public:
  /// Pieces are noted in `pieces`. `core` is the thread's; `homes` are the home agents' queue pairs, by node.
  ThreadAllocator(Shared& shared, const NodeState& node, unsigned thread, models::Core& core, Pieces& pieces,
                  const std::vector<models::Qpn>& homes, AllocationCounters& counters);

  /// Throws std::bad_alloc if the homes that may be taken have no room.
  sim::Task<models::GlobalAddress> allocate(std::uint64_t bytes, models::AllocationHint hint,
                                            sim::OperationId operation);
  /// Throws std::invalid_argument for what is not allocated. The piece is this thread's to use again, whoever had
  /// carved it.
  sim::Task<void> free(models::GlobalAddress first, sim::OperationId operation);

  RequesterId requester() const { return requester_; }
  /// Whether memory that a home agent gave for its request `seq` is on its way to it, or has come.
  bool has_or_will(const ChunkServer::Given& given) const {
    if ((waiting_ && given.seq == seq_) || given.seq <= given_up_) return true;
    return std::any_of(chunks_.begin(), chunks_.end(),
                       [&](const ChunkServer::Given& chunk) { return chunk.first == given.first; });
  }
  /// Whether no request is under way.
  bool quiescent() const { return !waiting_; }
  /// Of what it has, what nobody uses.
  std::uint64_t free_bytes() const {
    std::uint64_t bytes = 0;
    for (const Carver& carver : carvers_) bytes += carver.free_bytes();
    return bytes;
  }
  /// Calls `visit(GlobalAddress first, std::uint64_t bytes)` for each extent and piece of it that nobody uses.
  template <class Visit>
  void visit_free(Visit&& visit) const {
    for (const Carver& carver : carvers_) carver.visit_free(visit);
  }
  /// The request under way: whom it waits for and since when. Empty if there is none.
  std::string describe() const {
    if (!waiting_) return "";
    return fmt::format("request {} for a chunk of node {} since {} ns", seq_, asked_, since_.ns());
  }
  NodeId asked() const { return asked_; }
  std::string name() const { return fmt::format("node{}/thread{}", node_.id(), thread_); }
  const std::vector<ChunkServer::Given>& chunks() const { return chunks_; }

  /// Its chunks stay, as others may use pieces of them; what it had not carved and what it had been given back nobody
  /// will, not itself either when it is back. Its numbers go on, as if they began with that of its life.
  void crash() {
    waiting_ = false;
    given_up_ = seq_;
    carvers_.assign(carvers_.size(), Carver(classes_));
  }
  void on_packet(p4::PacketRef packet) override;

 private:
  sim::Task<bool> obtain(NodeId home, std::uint64_t bytes, sim::OperationId operation);
  void transmit(const AllocationHeader& request, sim::OperationId operation) {
    ++shared_.counters.requester_sent.value;
    send_allocation(shared_, node_.id(), qpn_, request, asked_, static_cast<std::uint16_t>(home_qpns_[asked_]),
                    operation);
  }
  /// The homes that may be taken, beginning with `first` or the next one.
  std::vector<NodeId> homes(const models::AllocationHint& hint, NodeId first) const;
  bool may_take(NodeId home, const models::AllocationHint& hint) const;

  Shared& shared_;
  const NodeState& node_;
  unsigned thread_;
  RequesterId requester_;
  models::Core& core_;
  sim::Clock& clock_;
  Pieces& pieces_;
  const std::vector<models::Qpn>& home_qpns_;
  AllocationCounters& counters_;
  models::Qpn qpn_;
  SizeClasses classes_;
  std::vector<Carver> carvers_;             // by home
  std::vector<ChunkServer::Given> chunks_;  // that it was given
  NodeId latest_;                           // the home of its latest chunk
  std::uint32_t seq_ = 0;
  std::uint32_t given_up_ = 0;  // its last request that it does not wait for any more
  bool waiting_ = false;
  NodeId asked_ = 0;
  sim::Time since_;
  AllocationHeader answer_;
  sim::Signal answered_;
};

}  // namespace racksim::flowcc
