// An RDMA NIC with verbs as users of ibverbs know them: raw packet queue pairs and reliable connections.
//
// Sending: a work request's doorbell crosses PCIe (with the payload when it is inline; else the payload is then read
// over PCIe), waits for its slot under the message-rate limit, and goes to the wire. Receiving: a packet takes a slot
// of the receive engine, its DMA crosses PCIe, and the polling core gets it. Engine, DMA and wire are next-free
// instants; events are: a payload read over PCIe, a WRITE landing in memory, and the polling core's work.
//
// Why next-free instants are exact here: whatever is posted at t reaches the engine at t + pcie_latency or, after a
// PCIe read, by an event that far before its payload is there; so the engine is always asked in the order of its use.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "models/host/core.hpp"
#include "models/host/short_queue.hpp"
#include "models/nic/nic_options.hpp"
#include "models/nic/verbs.hpp"
#include "models/packets/rack_context.hpp"
#include "models/wire/wire.hpp"

namespace racksim::models {

class ReliableConnection;

/// Counters shared by all NICs of a rack, under "nic.".
struct NicCounters {
  explicit NicCounters(sim::Metrics& metrics);
  sim::Counter &sent, &received, &pcie_reads, &retransmitted, &timeouts, &naks, &duplicates, &out_of_order, &not_ready,
      &failures;
};

/// The NIC of one server.
class Nic : public PacketSink {
 public:
  Nic(RackContext& context, NicCounters& counters, NodeId node, const NicOptions& options, const CpuCosts& costs);
  ~Nic() override;
  Nic(const Nic&) = delete;
  Nic& operator=(const Nic&) = delete;

  /// Plugs in the wire to the switch; before anything is sent.
  void plug(Wire& uplink) { uplink_ = &uplink; }

  NodeId node() const { return node_; }
  /// Who it is in the journal.
  sim::Source source() const { return source_; }

  /// Makes a raw packet queue pair polled by a core, and steers to it packets of Ethernet, IPv4 and UDP whose
  /// destination port is its number. Returns that number. The core spends `handling` on each packet besides the cost of
  /// receiving it, before the handler is called. Throws std::runtime_error beyond 57,344 of them.
  std::uint32_t create_raw_qp(Core& poller, PacketHandler& handler, sim::Duration handling = {});
  /// Sends a packet with Ethernet, IPv4 and UDP headers, whose destinations the caller has set; source addresses and
  /// lengths are filled in, and the UDP source port if it is 0. Occupies the queue pair's core for the cost of posting.
  /// A powered-off NIC drops it. Throws std::logic_error when `qpn` is no raw queue pair.
  void send_raw(std::uint32_t qpn, p4::PacketRef&& packet);

  /// Makes a reliable connection, to be connected before use; `receive` gets what SENDs bring.
  std::uint32_t create_rc_qp(Core& poller, CompletionHandler& completions, ReceiveHandler* receive = nullptr);
  /// Connects (or, after a failure or a crash, reconnects) to a queue pair of another NIC; both ends must do so.
  void connect(std::uint32_t qpn, NodeId remote, std::uint32_t remote_qpn);
  /// Writes to the remote node's memory. Data lands once and in order, unless retries run out.
  void post_write(std::uint32_t qpn, std::uint64_t remote_address, const Payload& payload, std::uint64_t wr_id,
                  bool signalled, std::uint64_t operation);
  /// Sends a message, which consumes a receive posted at the other end.
  void post_send(std::uint32_t qpn, const Payload& payload, std::uint64_t wr_id, bool signalled,
                 std::uint64_t operation);
  /// Posts `count` receives, which may come before `connect` as in ibverbs. Connecting again, and a crash, lose those
  /// that are left.
  void post_receive(std::uint32_t qpn, std::uint64_t count = 1);

  void set_memory_target(MemoryTarget& target) { memory_ = &target; }

  /// A crash: whatever is in the NIC is lost, all queue pairs lose their connections, and packets in and out are
  /// dropped until power_on. A packet already given to the wire goes out.
  void power_off();
  void power_on() { on_ = true; }

  /// A stall of the sending side: from `from` on nothing leaves, and what would wait in order until resume_transmit is
  /// called with the same instant. Packets are handed to the wire before they start, so announce a stall when the run
  /// begins. Stalls may overlap.
  void stall_transmit(sim::Time from);
  void resume_transmit(sim::Time from);
  /// A stall of the receiving side from now on: what arrives waits in order, `receive_ring` packets at most, until
  /// resume_receive has been called as often.
  void stall_receive() { ++receive_stalls_; }
  void resume_receive();
  bool is_on() const { return on_; }

  void receive(p4::PacketRef&& packet, unsigned port) override;

  /// Packets inside the NIC.
  std::uint64_t packets_held() const;

 private:
  friend class ReliableConnection;

  /// When the latest packet of a send queue is handed to the engine.
  struct SendOrder {
    sim::Time latest = sim::Time::from_ps(-1);
  };
  struct RawQueuePair {
    RawQueuePair(Nic& owner, Core& core, PacketHandler& packet_handler, sim::Duration packet_cost)
        : nic(owner), poller(core), handler(packet_handler), cost(packet_cost) {}
    void poll(std::uint64_t generation);
    Nic& nic;
    Core& poller;
    PacketHandler& handler;
    sim::Duration cost;              // of receiving and handling one packet
    ShortQueue<p4::PacketRef> ring;  // at most options_.receive_ring packets
    SendOrder order;
  };
  struct Landing {
    p4::PacketRef packet;
    NodeId from;
    std::uint64_t address;
    Payload payload;
  };

  static constexpr std::uint32_t kFirstRawQpn = 8192, kRawQpns = 65536 - kFirstRawQpn, kFirstRcQpn = 65536;

  ReliableConnection& rc(std::uint32_t qpn);
  /// Counts, numbers and records a packet as sent now, and fills in its source addresses and lengths.
  void stamp(p4::Packet& packet);
  /// Takes a packet whose doorbell is rung now; `fetch_bytes` of it are in host memory. `order` belongs to the send
  /// queue: its packets enter the engine in the order of the calls.
  void post(p4::PacketRef&& packet, std::uint32_t fetch_bytes, SendOrder& order);
  void fetched(p4::Packet* packet, std::uint64_t generation);
  void enter_engine(p4::PacketRef&& packet);
  /// How long so many bytes occupy PCIe. Packets of one size follow each other: their one division is done once.
  sim::Duration pcie_time(std::uint32_t bytes) {
    if (bytes != divided_bytes_) {
      divided_bytes_ = bytes;
      divided_time_ =
          sim::transmission_time(std::int64_t{8} * bytes, static_cast<std::int64_t>(options_.pcie_bits_per_second));
    }
    return divided_time_;
  }
  void start(p4::PacketRef&& packet, sim::Time at);
  void start_held();
  bool is_addressed(p4::Packet& packet) const;
  void accept(p4::PacketRef&& packet);
  void accept_rc(p4::PacketRef&& packet, sim::Time start);
  /// When `bytes` of a packet that starts in the receive engine at `start` are in host memory.
  sim::Time dma_write(sim::Time start, std::uint32_t bytes);
  void land(p4::PacketRef&& packet, sim::Time when, NodeId from, std::uint64_t address, const Payload& payload);
  void landed(std::uint64_t generation);
  void delivered(const p4::Packet& packet);
  void drop(const p4::Packet& packet, DropReason reason);

  RackContext& context_;
  NicCounters& counters_;
  NodeId node_;
  NicOptions options_;
  CpuCosts costs_;
  sim::Duration message_gap_;
  sim::Lane transmit_lane_, landing_lane_;
  sim::Source source_;
  Wire* uplink_ = nullptr;
  MemoryTarget* memory_ = nullptr;
  std::vector<std::unique_ptr<RawQueuePair>> raw_;
  std::vector<std::unique_ptr<ReliableConnection>> rc_;
  std::deque<Landing> landings_;
  struct Held {
    p4::PacketRef packet;
    sim::Time ready;  // for the engine
  };
  std::vector<sim::Time> transmit_stalls_;  // announced and not over: their beginnings
  std::deque<Held> held_transmit_;
  unsigned receive_stalls_ = 0;
  std::deque<p4::PacketRef> held_receive_;
  sim::Time transmit_free_, receive_free_, dma_read_free_, dma_write_free_;
  std::uint32_t divided_bytes_ = 0;  // pcie_time's last question and answer
  sim::Duration divided_time_;
  std::uint64_t generation_ = 0;  // of power-ons: what was in the NIC before a crash is recognised by it
  std::uint64_t next_serial_ = 0;
  std::uint64_t fetching_ = 0;
  bool on_ = true;
};

}  // namespace racksim::models
