// An RDMA NIC with verbs as users of ibverbs know them: reliable connections, datagrams and raw packet queue pairs,
// completion queues, shared receive queues, and registered memory. What they cost is the engine's (nic_engine.hpp);
// what is sent and in which order, the transports'.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "models/host/core.hpp"
#include "models/host/memory.hpp"
#include "models/host/short_queue.hpp"
#include "models/nic/completion_queue.hpp"
#include "models/nic/datagram.hpp"
#include "models/nic/nic_engine.hpp"
#include "models/nic/nic_options.hpp"
#include "models/nic/reliable_connection.hpp"
#include "models/nic/verbs.hpp"
#include "models/packets/addressing.hpp"
#include "models/packets/rack_context.hpp"
#include "models/wire/wire.hpp"
#include "sim/record/wait.hpp"

namespace racksim::models {

/// The NIC of one server.
class Nic final : public PacketSink, DmaWrites {
 public:
  Nic(RackContext& context, NicCounters& counters, NodeId node, const NicOptions& options, const CpuCosts& costs);
  ~Nic() override;
  Nic(const Nic&) = delete;
  Nic& operator=(const Nic&) = delete;

  /// Plugs in the wire to the switch; before anything is sent.
  void plug(Wire& uplink) { engine_.plug(uplink); }

  NodeId node() const { return engine_.node(); }
  /// Who it is in the event log.
  sim::Source source() const { return engine_.source(); }

  /// A completion queue that a core polls.
  CompletionQueue& create_completion_queue(Core& poller, CompletionHandler& handler);
  ReceiveQueue& create_shared_receive_queue();
  /// A reliable connection, to be connected before it is used.
  ReliableConnection& create_reliable(const QueuePair::Queues& queues);
  /// An unreliable datagram queue pair.
  Datagram& create_datagram(const QueuePair::Queues& queues);
  /// Lets a datagram queue pair of this NIC have what is sent to a multicast group, until it is detached or the node
  /// crashes (ibv_attach_mcast(3)). The switch sends copies here if the server has joined the group (Rack::join).
  void attach(Datagram& queue_pair, std::uint16_t group) { groups_[multicast_ipv4_of(group)].insert(&queue_pair); }
  void detach(Datagram& queue_pair, std::uint16_t group);
  /// Memory that remote nodes may access.
  Memory& memory() { return memory_; }

  /// Makes a raw packet queue pair polled by a core, and steers to it packets of Ethernet, IPv4 and UDP whose
  /// destination port is its number. Returns that number. The core spends `handling` on each packet besides the cost of
  /// receiving it, before the handler is called. Throws std::runtime_error beyond 57,344 of them.
  Qpn create_raw_qp(Core& poller, PacketHandler& handler, sim::Duration handling = {});
  /// Sends a packet with Ethernet, IPv4 and UDP headers, whose destinations the caller has set; source addresses and
  /// lengths are filled in, and the UDP source port if it is 0. Occupies the queue pair's core for the cost of posting.
  /// A powered-off NIC drops it. Throws std::logic_error when `qpn` is no raw queue pair.
  void send_raw(Qpn qpn, p4::PacketRef&& packet);

  /// A crash: whatever is in the NIC is lost, all queue pairs lose their connections and receives, memory loses what is
  /// not durable, and packets in and out are dropped until power_on. A packet already given to the wire goes out.
  void power_off();
  void power_on() { engine_.power_on(); }
  /// Fences a node off: from now on nothing of it is carried out here, neither what is still to come nor what has come
  /// and waits for memory. Reliable connections to it go to the error state, until they are connected anew.
  void cut_off(NodeId remote);

  /// A stall of the sending side: from `from` on nothing leaves, and what would wait in order until resume_transmit is
  /// called with the same instant. Packets are handed to the wire before they start, so announce a stall when the run
  /// begins. Stalls may overlap.
  void stall_transmit(sim::Time from) { engine_.stall_transmit(from); }
  void resume_transmit(sim::Time from) { engine_.resume_transmit(from); }
  /// A stall of the receiving side from now on: what arrives waits in order, `receive_ring` packets at most, until
  /// resume_receive has been called as often.
  void stall_receive() { ++receive_stalls_; }
  void resume_receive();
  bool is_on() const { return engine_.is_on(); }

  void receive(p4::PacketRef&& packet, unsigned port) override;

  NicEngine& engine() { return engine_; }

  /// Packets inside the NIC.
  std::uint64_t packets_held() const;
  /// Adds what its queue pairs wait for.
  void add_waits(std::vector<sim::Wait>& waits) const;

 private:
  struct RawQueuePair {
    RawQueuePair(NicEngine& owner, Core& core, PacketHandler& packet_handler, sim::Duration packet_cost)
        : engine(owner), poller(core), handler(packet_handler), cost(packet_cost), order(owner) {}
    void poll(std::uint64_t generation);
    NicEngine& engine;
    Core& poller;
    PacketHandler& handler;
    sim::Duration cost;              // of receiving and handling one packet
    ShortQueue<p4::PacketRef> ring;  // at most NicOptions::receive_ring packets
    SendOrder order;
  };
  struct DmaWrite {
    p4::PacketRef packet;
    NodeId from;
    RemoteAddress at;
    std::uint32_t bytes;
    bool cut_off = false;
  };

  static constexpr std::uint32_t kFirstRawQpn = 8192, kRawQpns = kFirstRdmaQpn - kFirstRawQpn;

  bool is_addressed(p4::Packet& packet) const;
  void accept(p4::PacketRef&& packet);
  void accept_for_group(p4::PacketRef&& packet, sim::Time start);
  void land(p4::PacketRef&& packet, sim::Time when, NodeId from, RemoteAddress at, std::uint32_t bytes) override;
  void landed(std::uint64_t generation);

  NicEngine engine_;
  Memory memory_;
  std::vector<std::unique_ptr<RawQueuePair>> raw_;
  std::vector<std::unique_ptr<CompletionQueue>> completion_queues_;
  std::vector<std::unique_ptr<ReceiveQueue>> shared_receives_;
  std::vector<std::unique_ptr<QueuePair>> queue_pairs_;  // reliable ones and datagrams, by number
  struct ByNumber {
    bool operator()(const Datagram* a, const Datagram* b) const { return a->number() < b->number(); }
  };
  std::map<std::uint64_t, std::set<Datagram*, ByNumber>> groups_;  // attached, by the group's IPv4 address
  std::deque<DmaWrite> dma_writes_;
  unsigned receive_stalls_ = 0;
  std::deque<p4::PacketRef> held_receive_;
};

}  // namespace racksim::models
