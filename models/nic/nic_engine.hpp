// What all transports of a NIC share: its engines, their next-free instants, and its link to the wire and the host.
//
// Sending: a work request's doorbell crosses PCIe (with the payload when it is inline; else the payload is then read
// over PCIe), waits for its slot under the message-rate limit, and goes to the wire. Receiving: a packet takes a slot
// of the receive engine, its DMA crosses PCIe, and the polling core gets it. Engine, DMA and wire are next-free
// instants; events are: a payload read over PCIe, be it a READ's or what an atomic has found, a WRITE landing in
// memory, and the polling core's work.
//
// Why next-free instants are exact here: whatever is posted at t reaches the engine at t + pcie_latency or, after a
// PCIe read, by an event that far before its payload is there; so the engine is always asked in the order of its use.
//
// A packet takes its slot under the message rate, and what its verb takes besides; before, the state of its queue pair
// is fetched unless the NIC holds it (queue_pair_cache.hpp). The engine does nothing else meanwhile.
//
// Atomics are done one after the other at one address, and at a limited rate in all.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "models/nic/nic_options.hpp"
#include "models/nic/queue_pair_cache.hpp"
#include "models/packets/rack_context.hpp"
#include "models/usage/station.hpp"
#include "models/wire/wire.hpp"

namespace racksim::models {

/// Counters shared by all NICs of a rack, under "nic.".
struct NicCounters {
  sim::Metrics& m;
  sim::Counter& sent =
      m.counter("nic.packets_sent", "packets", "Packets that NICs were given to send or made themselves.");
  sim::Counter& received = m.counter("nic.packets_received", "packets", "Packets that reached a powered NIC.");
  sim::Counter& pcie_reads =
      m.counter("nic.pcie_reads", "reads", "Payloads read over PCIe because they were not inline.");
  sim::Counter& retransmitted =
      m.trouble("nic.rc_retransmitted", "packets", "Segments sent again by reliable connections.");
  sim::Counter& timeouts = m.trouble("nic.rc_timeouts", "timeouts", "Timeouts of reliable connections.");
  sim::Counter& naks = m.counter("nic.rc_naks", "packets", "Sequence errors reported by receivers.");
  sim::Counter& duplicates = m.counter("nic.rc_duplicates", "packets", "Segments that had been received before.");
  sim::Counter& out_of_order =
      m.counter("nic.rc_out_of_order", "packets", "Segments that came before their predecessors.");
  sim::Counter& not_ready = m.trouble("nic.rc_receiver_not_ready", "packets", "SENDs that found no posted receive.");
  sim::Counter& failures = m.trouble("nic.rc_failures", "connections", "Reliable connections whose retries ran out.");
  sim::Counter& refused =
      m.counter("nic.rc_refused", "requests", "Requests that responders refused: no memory, or no right to it.");
  sim::Counter& atomics =
      m.counter("nic.atomics", "operations", "Compare-and-swaps and fetch-and-adds that were carried out.");
  sim::Counter& state_fetches =
      m.counter("nic.queue_pair_fetches", "fetches", "States of queue pairs that NICs had to fetch to go on.");
};

class NicEngine;

/// Told when the packets of a send queue leave.
class SendListener {
 public:
  /// The last bit of the next packet leaves at `when`, now or later.
  virtual void leaves(sim::Time when) = 0;

 protected:
  ~SendListener() = default;
};

/// Has what packets are to bring that is read from memory while they wait.
class PayloadSource {
 public:
  /// The payload of a packet that has waited is in the NIC: fills it in.
  virtual void fill(const p4::Packet& packet) = 0;

 protected:
  ~PayloadSource() = default;
};

/// A send queue, whose packets enter the engine in the order of the calls.
struct SendOrder {
  explicit SendOrder(NicEngine& owner, SendListener* told = nullptr, std::optional<std::uint32_t> state = {},
                     PayloadSource* source = nullptr)
      : engine(owner), listener(told), payloads(source), queue_pair(state) {}
  /// The payload of a packet is there that was posted in this generation of the NIC, and this life of the queue: an
  /// event has room for both in one word.
  void fetched(p4::Packet* packet, std::uint64_t generation_and_life);
  /// Begins anew: what still waits for its payload or its turn is not sent any more.
  void reset() {
    latest = sim::Time::beginning();
    ++life;
  }

  NicEngine& engine;
  SendListener* listener;
  PayloadSource* payloads;
  std::optional<std::uint32_t> queue_pair;    ///< whose state a packet needs, from kFirstRdmaQpn on
  sim::Time latest = sim::Time::beginning();  ///< when the latest packet is handed to the engine
  std::uint64_t life = 0;
};

class NicEngine {
 public:
  /// All of these outlive it.
  NicEngine(RackContext& context, NicCounters& counters, NodeId node, const NicOptions& options, const CpuCosts& costs);
  NicEngine(const NicEngine&) = delete;
  NicEngine& operator=(const NicEngine&) = delete;

  /// Plugs in the wire to the switch; before anything is sent.
  void plug(Wire& uplink) { uplink_ = &uplink; }

  NodeId node() const { return node_; }
  /// Who it is in the event log.
  sim::Source source() const { return source_; }
  RackContext& context() const { return context_; }
  sim::Calendar& calendar() const { return context_.calendar; }
  sim::Time now() const { return context_.calendar.now(); }
  NicCounters& counters() const { return counters_; }
  const NicOptions& options() const { return options_; }
  const CpuCosts& costs() const { return costs_; }
  /// The lane of what lands in memory.
  sim::Lane landing_lane() const { return landing_lane_; }
  bool is_on() const { return on_; }
  /// Of power-ons: what was in the NIC before a crash is recognised by it.
  std::uint64_t generation() const { return generation_; }

  /// Counts, numbers and records a packet as sent now, and fills in its source addresses and lengths.
  void stamp(p4::Packet& packet);
  /// Takes a packet whose doorbell is rung now; `fetch_bytes` of it are in host memory.
  void post(p4::PacketRef&& packet, std::uint32_t fetch_bytes, SendOrder& order);
  /// Takes a packet whose payload is in the NIC at `ready`, at least one PCIe latency from now.
  void post_at(p4::PacketRef&& packet, sim::Time ready, SendOrder& order);
  /// For SendOrder: a packet that has waited for its turn in its queue, or for its payload.
  void take_waiting(p4::PacketRef&& packet, std::uint64_t generation, std::uint64_t life, SendOrder& order);

  /// A packet takes the next slot of the receive engine, for this queue pair if it needs its state. Returns when it
  /// starts.
  sim::Time begin_receive(std::optional<std::uint32_t> queue_pair) {
    const sim::Duration fetch = fetch_state(queue_pair);
    return receive_.serve(context_.calendar.now(), fetch + message_gap_) + fetch;
  }
  /// When `bytes` of a packet that starts in the receive engine at `start` are in host memory.
  sim::Time dma_write(sim::Time start, std::uint32_t bytes);
  /// When `bytes` of host memory, which the NIC asks for at `ready` at the earliest, are in it.
  sim::Time dma_read(sim::Time ready, std::uint32_t bytes);
  /// An atomic: when it reaches memory, and when what it has found is in the NIC. It is done one PCIe latency before.
  struct Atomic {
    sim::Time at_memory, in_nic;
  };
  /// An atomic of the word at `address`, which the NIC begins at `ready` at the earliest.
  Atomic atomic(sim::Time ready, std::uint64_t address);

  void delivered(const p4::Packet& packet);
  void drop(const p4::Packet& packet, DropReason reason);

  /// Drops what waits to be sent; what was posted before is recognised by its generation.
  void power_off();
  void power_on() { on_ = true; }
  void stall_transmit(sim::Time from);
  void resume_transmit(sim::Time from);

  /// What packets occupy: the engine's two directions, PCIe's two, of payloads and not of doorbells, and the atomics
  /// unit.
  Station& transmit_engine() { return transmit_; }
  Station& receive_engine() { return receive_; }
  Station& pcie_writes() { return dma_write_; }
  Station& pcie_reads() { return dma_read_; }
  Station& atomics_unit() { return atomics_; }

  /// Packets that wait to be sent.
  std::uint64_t packets_held() const { return fetching_ + held_transmit_.size(); }

 private:
  void wait_until(sim::Time ready, p4::PacketRef&& packet, SendOrder& order);
  void enter_engine(p4::PacketRef&& packet, SendOrder& order);
  void start(p4::PacketRef&& packet, sim::Time ready, SendOrder& order);
  void start_held();
  /// What the state of a queue pair takes that is needed now.
  sim::Duration fetch_state(std::optional<std::uint32_t> queue_pair) {
    if (!queue_pair || queue_pairs_.use(*queue_pair)) return 0_ps;
    ++counters_.state_fetches.value;
    return options_.queue_pair_fetch;
  }
  /// What a packet takes of the transmit engine.
  sim::Duration transmit_time(p4::Packet& packet) const;
  /// How long so many bytes occupy PCIe. Packets of one size follow each other: their one division is done once.
  sim::Duration pcie_time(std::uint32_t bytes) {
    if (bytes != divided_bytes_) {
      divided_bytes_ = bytes;
      divided_time_ =
          sim::transmission_time(std::int64_t{8} * bytes, static_cast<std::int64_t>(options_.pcie_bits_per_second));
    }
    return divided_time_;
  }

  struct HeldPacket {
    p4::PacketRef packet;
    sim::Time ready;  // for the engine
    SendOrder* order;
    std::uint64_t life;  // of the order
  };
  struct BusyWord {
    std::uint64_t address;
    sim::Time until;
  };
  // What every packet needs comes first, side by side; options are the rack's, not copies for each of a thousand NICs.
  RackContext& context_;
  NicCounters& counters_;
  const NicOptions& options_;
  const CpuCosts& costs_;
  Wire* uplink_ = nullptr;
  sim::Duration message_gap_;
  NodeId node_;
  bool on_ = true;
  bool verbs_differ_;  // in what they take of the transmit engine
  sim::Source source_;
  Station transmit_, receive_, dma_write_, dma_read_, atomics_;
  std::uint64_t next_serial_ = 0;
  std::uint64_t generation_ = 0;
  sim::Duration divided_time_;       // pcie_time's last answer
  std::uint32_t divided_bytes_ = 0;  // and question
  sim::Lane transmit_lane_, landing_lane_;
  std::uint64_t fetching_ = 0;
  std::vector<sim::Time> transmit_stalls_;  // announced and not over: their beginnings
  QueuePairCache queue_pairs_;
  std::deque<HeldPacket> held_transmit_;
  sim::Duration atomic_gap_;
  std::vector<BusyWord> busy_words_;  // of atomics that are not done: a few
};

}  // namespace racksim::models
