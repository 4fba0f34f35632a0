// How the parts of a memory node send: raw packets for control, RC WRITEs for blocks (Concordia §6, "Network").
#pragma once

#include <cstdint>
#include <vector>

#include "models/rack/rack.hpp"
#include "models/service/memory_service.hpp"
#include "protocols/flowcc/rules/counters.hpp"
#include "protocols/flowcc/rules/coverage.hpp"
#include "protocols/flowcc/rules/hotness.hpp"
#include "protocols/flowcc/rules/messages.hpp"
#include "protocols/flowcc/rules/migration_counters.hpp"
#include "protocols/flowcc/rules/options.hpp"
#include "protocols/flowcc/rules/provider.hpp"
#include "protocols/flowcc/rules/write_log.hpp"

namespace racksim::flowcc {

/// What all parts of one FlowCC instance share. Owned by the protocol object.
struct Shared {
  models::Rack& rack;
  sim::Calendar& calendar;
  sim::EventLog& event_log;
  const FlowCcOptions& options;
  models::MemoryService& memory;  ///< the service that FlowCC offers
  const models::MemoryShape& shape;
  Counters& counters;
  MigrationCounters& migration;  ///< of what happens only where blocks migrate
  WriteLog& writes;
  CoverageMarks coverage{};
  ProviderOrders providers{shape.nodes};
  std::vector<std::uint32_t> data_keys{};  ///< by node: of the memory that blocks are written to
  std::vector<NodeId> shadow_of{};         ///< by node: the server that it takes for the shadow node's
  bool recovering = false;                 ///< between the stop of all and their going on
  /// By server: which incarnation it takes part in.
  std::vector<std::uint32_t> incarnations = std::vector<std::uint32_t>(rack.nodes());
  std::vector<bool> absent = std::vector<bool>(shape.nodes);  ///< by node: found dead, and not back yet

  NodeId home_of(Tag tag) const {
    return static_cast<NodeId>(tag >> (models::GlobalAddress::kOffsetBits - block_bits()));
  }
  /// Index of a block within its home's global memory.
  std::uint64_t index_at_home(Tag tag) const { return tag & index_mask(); }
  /// The part of a tag that is the index.
  std::uint64_t index_mask() const {
    return (std::uint64_t{1} << (models::GlobalAddress::kOffsetBits - block_bits())) - 1;
  }
  Tag tag_at_home(NodeId home, std::uint64_t index) const {
    return Tag{std::uint64_t{home} << (models::GlobalAddress::kOffsetBits - block_bits()) | index};
  }
  /// Whether accesses to the block have to fail, for its home is not there.
  bool is_homeless(Tag tag) const { return absent[home_of(tag)]; }
  /// Whether a node takes part in an incarnation: it is there, or about to come back.
  bool takes_part(NodeId node, std::uint32_t incarnation) const {
    return !absent[node] || incarnations[node] == incarnation;
  }
  unsigned block_bits() const { return static_cast<unsigned>(__builtin_ctzll(shape.block_bytes)); }
  // Requesters have numbers: first the threads, in the order of their nodes, then the home agents, which are requesters
  // too where blocks migrate, and then the locks of blocks that each thread can hold.
  unsigned requester_of(NodeId node, unsigned thread) const { return node * shape.threads_per_node + thread; }
  unsigned threads() const { return shape.nodes * shape.threads_per_node; }
  unsigned requester_of_home(NodeId node) const { return threads() + node; }
  unsigned requester_of_lock(NodeId node, unsigned thread, unsigned lock) const {
    return threads() + shape.nodes + requester_of(node, thread) * locks_per_thread() + lock;
  }
  unsigned requesters() const { return requester_of_lock(shape.nodes, 0, 0); }
  unsigned locks_per_thread() const { return static_cast<unsigned>(options.locks.per_thread); }
  bool is_home(unsigned requester) const { return requester >= threads() && requester < threads() + shape.nodes; }
  bool is_lock(unsigned requester) const { return requester >= threads() + shape.nodes; }
  /// The thread of a requester that is none of a home agent, counted over all nodes.
  unsigned thread_of(unsigned requester) const {
    return is_lock(requester) ? (requester - threads() - shape.nodes) / locks_per_thread() : requester;
  }
  NodeId node_of(unsigned requester) const {
    return static_cast<NodeId>(is_home(requester) ? requester - threads()
                                                  : thread_of(requester) / shape.threads_per_node);
  }
  /// The UDP source port of FlowCC's packets, by which switch and agents tell one incarnation from another
  /// (recovery.hpp). 64 are more than are under way at once.
  std::uint16_t flowcc_port(std::uint32_t incarnation) const {
    return static_cast<std::uint16_t>(kFlowCcPort + (options.recovery.incarnations ? incarnation % 64 : 0));
  }
  /// Whether a transfer has failed, not by a connection that was closed because all stop.
  bool is_failure(const models::Completion& completion) const {
    return completion.status != models::Status::success &&
           !(options.migrates() && completion.status == models::Status::flushed);
  }
  /// Whether a packet is of another incarnation than the server's that it has come to.
  bool is_stale(const p4::Packet& packet, NodeId server) const;
};

/// The queue pairs of one thread of a memory node: one raw packet queue pair, and a reliable connection to every node.
class Endpoint {
 public:
  /// Opens the queue pairs; `connect` joins the reliable connections later. The thread spends `handling` on each packet
  /// before it acts on it.
  Endpoint(Shared& shared, NodeId node, models::Core& core, models::PacketHandler& packets,
           models::CompletionHandler& completions, sim::Duration handling = {});

  NodeId node() const { return node_; }
  std::uint32_t raw_qpn() const { return raw_qpn_; }
  /// Whether one of its reliable connections has this number.
  bool has_rc(models::Qpn qpn) const {
    return qpn >= connections_.front()->number() && qpn <= connections_.back()->number();
  }

  /// Sends a FlowCC packet towards `destination`; the switch decides where it ends up.
  void send(const FlowCcHeader& header, NodeId destination, sim::OperationId operation) {
    nic_.send_raw(raw_qpn_, make_packet(header, destination, operation));
  }
  /// Sends a hint that lists blocks to the shadow node.
  void send_hint(MessageType type, const HeatReport& blocks);
  /// The same once the thread has spent `cost` on it; until then it does nothing else.
  void send_after(sim::Duration cost, const FlowCcHeader& header, NodeId destination, sim::OperationId operation) {
    shared_.calendar.at<&Endpoint::send_now>(core_.charge(cost), core_.lane(), *this,
                                             make_packet(header, destination, operation).release());
  }
  /// Writes a block to `address` on `destination`.
  void write_block(NodeId destination, std::uint64_t address, const BlockData& block, bool signalled,
                   std::uint64_t wr_id, sim::OperationId operation);

  /// Writes a list of blocks to `address` (DataAddress) on `destination`, with a completion.
  void write_list(NodeId destination, std::uint64_t address, const HeatReport& blocks, std::uint64_t wr_id);
  /// Writes a lock into the log that `witness` keeps, or takes it out (lock_log.hpp), with a completion.
  void write_log(NodeId witness, const LoggedLock& lock, std::uint64_t wr_id);
  /// Connects its reliable connections to the nodes that are there anew: the n-th of each pair, from 0.
  void connect_again(std::uint32_t connection);

  /// Says that what was sent `patience` ago is sent again, for want of an answer.
  void report_timeout(Tag tag, sim::OperationId operation, sim::Duration patience) {
    const sim::Time now = shared_.calendar.now();
    sim::record_sent_again(shared_.event_log, nic_.source(), now, operation,
                           {sim::SentAgain::timeout, tag, now - patience});
  }

  /// Joins the reliable connections of two endpoints of the same kind.
  static void connect(Endpoint& a, Endpoint& b);

 private:
  p4::PacketRef make_packet(const FlowCcHeader& header, NodeId destination, sim::OperationId operation);
  void send_now(p4::Packet* packet) { nic_.send_raw(raw_qpn_, p4::PacketRef::adopt(packet)); }

  Shared& shared_;
  NodeId node_;
  models::Core& core_;
  models::Nic& nic_;
  models::Qpn raw_qpn_;
  std::vector<models::ReliableConnection*> connections_;  // by remote node
  std::vector<models::Qpn> remote_numbers_;               // and the other ends' numbers
};

}  // namespace racksim::flowcc
