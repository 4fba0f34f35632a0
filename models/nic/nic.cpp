// Engines, steering and raw queue pairs of the NIC. See nic.hpp.
#include "models/nic/nic.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/nic/reliable_connection.hpp"
#include "models/packets/addressing.hpp"
#include "models/packets/rdma_headers.hpp"
#include "p4model/language/headers.hpp"

namespace racksim::models {

NicCounters::NicCounters(sim::Metrics& m)
    : sent(m.counter("nic.packets_sent", "packets", "Packets that NICs were given to send or made themselves.")),
      received(m.counter("nic.packets_received", "packets", "Packets that reached a powered NIC.")),
      pcie_reads(m.counter("nic.pcie_reads", "reads", "Payloads read over PCIe because they were not inline.")),
      retransmitted(m.counter("nic.rc_retransmitted", "packets", "Segments sent again by reliable connections.")),
      timeouts(m.counter("nic.rc_timeouts", "timeouts", "Timeouts of reliable connections.")),
      naks(m.counter("nic.rc_naks", "packets", "Sequence errors reported by receivers.")),
      duplicates(m.counter("nic.rc_duplicates", "packets", "Segments that had been received before.")),
      out_of_order(m.counter("nic.rc_out_of_order", "packets", "Segments that came before their predecessors.")),
      not_ready(m.counter("nic.rc_receiver_not_ready", "packets", "SENDs that found no posted receive.")),
      failures(m.counter("nic.rc_failures", "connections", "Reliable connections whose retries ran out.")) {}

Nic::Nic(RackContext& context, NicCounters& counters, NodeId node, const NicOptions& options, const CpuCosts& costs)
    : context_(context),
      counters_(counters),
      node_(node),
      options_(options),
      costs_(costs),
      message_gap_(sim::transmission_time(1, static_cast<std::int64_t>(options.messages_per_second))),
      transmit_lane_(context.calendar.add_lane(fmt::format("node{}/nic/transmit", node))),
      landing_lane_(context.calendar.add_lane(fmt::format("node{}/nic/landing", node))),
      source_(context.journal.add_source(fmt::format("node{}/nic", node))) {}

Nic::~Nic() = default;

std::uint32_t Nic::create_raw_qp(Core& poller, PacketHandler& handler, sim::Duration handling) {
  if (raw_.size() == kRawQpns) throw std::runtime_error(fmt::format("node {}: no raw queue pair is left", node_));
  raw_.push_back(std::make_unique<RawQueuePair>(*this, poller, handler, costs_.receive + handling));
  return kFirstRawQpn + static_cast<std::uint32_t>(raw_.size() - 1);
}

std::uint32_t Nic::create_rc_qp(Core& poller, CompletionHandler& completions, ReceiveHandler* receive) {
  const auto qpn = kFirstRcQpn + static_cast<std::uint32_t>(rc_.size());
  rc_.push_back(std::make_unique<ReliableConnection>(*this, qpn, poller, completions, receive));
  return qpn;
}

ReliableConnection& Nic::rc(std::uint32_t qpn) {
  if (qpn < kFirstRcQpn || qpn - kFirstRcQpn >= rc_.size()) {
    throw std::logic_error(fmt::format("node {}: {} is no reliable connection", node_, qpn));
  }
  return *rc_[qpn - kFirstRcQpn];
}

void Nic::connect(std::uint32_t qpn, NodeId remote, std::uint32_t remote_qpn) {
  rc(qpn).connect(remote, remote_qpn);
}

void Nic::post_write(std::uint32_t qpn, std::uint64_t remote_address, const Payload& payload, std::uint64_t wr_id,
                     bool signalled, std::uint64_t operation) {
  rc(qpn).post({.is_write = true,
                .signalled = signalled,
                .address = remote_address,
                .payload = payload,
                .wr_id = wr_id,
                .operation = operation});
}

void Nic::post_send(std::uint32_t qpn, const Payload& payload, std::uint64_t wr_id, bool signalled,
                    std::uint64_t operation) {
  rc(qpn).post({.is_write = false,
                .signalled = signalled,
                .address = 0,
                .payload = payload,
                .wr_id = wr_id,
                .operation = operation});
}

void Nic::post_receive(std::uint32_t qpn, std::uint64_t count) {
  rc(qpn).post_receive(count);
}

void Nic::stamp(p4::Packet& packet) {
  packet.get_at<p4::Ethernet>(0).src = mac_of(node_);
  auto& ip = packet.get_at<p4::Ipv4>(1);
  auto& udp = packet.get_at<p4::Udp>(2);
  ip.src = ipv4_of(node_);
  ip.total_length = packet.header_bytes() + packet.payload_bytes - p4::Ethernet::kLayout.bytes();
  udp.length = ip.total_length - p4::Ipv4::kLayout.bytes();
  packet.serial = packet_serial(node_, ++next_serial_);
  context_.census.create();
  ++counters_.sent.value;
  context_.journal.record(sim::Observed::message_sent, source_, context_.calendar.now(), packet.operation,
                          packet.serial, packet.wire_bytes());
}

void Nic::send_raw(std::uint32_t qpn, p4::PacketRef&& packet) {
  if (qpn < kFirstRawQpn || qpn - kFirstRawQpn >= raw_.size()) {
    throw std::logic_error(fmt::format("node {}: {} is no raw queue pair", node_, qpn));
  }
  auto& udp = packet->get_at<p4::Udp>(2);
  if (udp.src_port == 0) udp.src_port = qpn;
  stamp(*packet);
  auto& qp = *raw_[qpn - kFirstRawQpn];
  qp.poller.charge(costs_.post);
  const std::uint32_t bytes = packet->frame_bytes() - p4::kFcsBytes;
  post(std::move(packet), bytes <= options_.inline_bytes ? 0 : bytes, qp.order);
}

void Nic::post(p4::PacketRef&& packet, std::uint32_t fetch_bytes, SendOrder& order) {
  if (!on_) return drop(*packet, DropReason::nic_off);
  sim::Time ready = context_.calendar.now();
  if (fetch_bytes > 0) {
    ++counters_.pcie_reads.value;
    dma_read_free_ = std::max(ready + options_.pcie_latency, dma_read_free_) + pcie_time(fetch_bytes);
    // The payload is in the NIC two latencies after its turn; enter_engine adds one of them.
    ready = dma_read_free_ + options_.pcie_latency;
  } else if (order.latest < ready) {
    return enter_engine(std::move(packet));
  }
  order.latest = std::max(order.latest, ready);
  ++fetching_;
  context_.calendar.at<&Nic::fetched>(order.latest, transmit_lane_, *this, packet.release(), generation_);
}

void Nic::fetched(p4::Packet* raw, std::uint64_t generation) {
  auto packet = p4::PacketRef::adopt(raw);
  --fetching_;
  if (generation != generation_) return drop(*packet, DropReason::nic_off);
  enter_engine(std::move(packet));
}

void Nic::enter_engine(p4::PacketRef&& packet) {
  const sim::Time ready = context_.calendar.now() + options_.pcie_latency;
  if (!transmit_stalls_.empty()) [[unlikely]] {
    held_transmit_.push_back({std::move(packet), ready});
    return start_held();
  }
  start(std::move(packet), std::max(ready, transmit_free_));
}

void Nic::start(p4::PacketRef&& packet, sim::Time at) {
  transmit_free_ = at + message_gap_;
  uplink_->transmit(std::move(packet), at + options_.transmit_latency);
}

// Starts what would have left the wire's near end before every stall, in order.
void Nic::start_held() {
  while (!held_transmit_.empty()) {
    const sim::Time at = std::max({held_transmit_.front().ready, context_.calendar.now(), transmit_free_});
    const sim::Time leaves = std::max(at + options_.transmit_latency, uplink_->free_at());
    for (const sim::Time from : transmit_stalls_) {
      if (from <= leaves) return;
    }
    p4::PacketRef packet = std::move(held_transmit_.front().packet);
    held_transmit_.pop_front();
    start(std::move(packet), at);
  }
}

void Nic::stall_transmit(sim::Time from) {
  transmit_stalls_.push_back(from);
}

void Nic::resume_transmit(sim::Time from) {
  const auto stall = std::find(transmit_stalls_.begin(), transmit_stalls_.end(), from);
  if (stall == transmit_stalls_.end()) return;
  transmit_stalls_.erase(stall);
  start_held();
}

void Nic::resume_receive() {
  if (receive_stalls_ == 0 || --receive_stalls_ > 0) return;
  for (auto& packet : std::exchange(held_receive_, {})) accept(std::move(packet));
}

void Nic::receive(p4::PacketRef&& packet, unsigned) {
  if (!on_) return drop(*packet, DropReason::nic_off);
  ++counters_.received.value;
  if (!is_addressed(*packet)) return drop(*packet, DropReason::wrong_address);
  if (receive_stalls_ > 0) [[unlikely]] {
    if (held_receive_.size() >= options_.receive_ring) return drop(*packet, DropReason::ring_full);
    held_receive_.push_back(std::move(packet));
    return;
  }
  accept(std::move(packet));
}

// A NIC takes frames for its own MAC address, and of those the transports take what is for its own IPv4 address.
bool Nic::is_addressed(p4::Packet& packet) const {
  const auto* ethernet = packet.find_at<p4::Ethernet>(0);
  const auto* ip = packet.find_at<p4::Ipv4>(1);
  return ethernet && ethernet->dst == mac_of(node_) && (!ip || ip->dst == ipv4_of(node_));
}

void Nic::accept(p4::PacketRef&& packet) {
  const sim::Time start = std::max(context_.calendar.now(), receive_free_);
  receive_free_ = start + message_gap_;
  const auto* udp = packet->find_at<p4::Udp>(2);
  if (!udp) return drop(*packet, DropReason::no_queue_pair);
  if (udp->dst_port == kRoceUdpPort) return accept_rc(std::move(packet), start);
  const auto index = udp->dst_port - kFirstRawQpn;
  if (index >= raw_.size()) return drop(*packet, DropReason::no_queue_pair);
  auto& qp = *raw_[index];
  if (qp.ring.size() >= options_.receive_ring) return drop(*packet, DropReason::ring_full);
  const sim::Time done = dma_write(start, packet->frame_bytes() - p4::kFcsBytes);
  qp.ring.push(std::move(packet));
  qp.poller.run_at<&RawQueuePair::poll>(done, qp.cost, qp, generation_);
}

void Nic::accept_rc(p4::PacketRef&& packet, sim::Time start) {
  const auto* bth = packet->find<Bth>();
  const auto index = bth ? bth->dest_qp - kFirstRcQpn : rc_.size();
  if (index >= rc_.size()) return drop(*packet, DropReason::no_queue_pair);
  rc_[index]->receive(std::move(packet), start);
}

void Nic::RawQueuePair::poll(std::uint64_t generation) {
  if (generation != nic.generation_) return;
  p4::PacketRef packet = ring.pop();
  nic.delivered(*packet);
  handler.on_packet(std::move(packet));
}

sim::Time Nic::dma_write(sim::Time start, std::uint32_t bytes) {
  dma_write_free_ = std::max(start + options_.receive_latency, dma_write_free_) + pcie_time(bytes);
  return dma_write_free_ + options_.pcie_latency;
}

void Nic::land(p4::PacketRef&& packet, sim::Time when, NodeId from, std::uint64_t address, const Payload& payload) {
  landings_.push_back({std::move(packet), from, address, payload});
  context_.calendar.at<&Nic::landed>(when, landing_lane_, *this, generation_);
}

void Nic::landed(std::uint64_t generation) {
  if (generation != generation_) return;
  const Landing landing = std::move(landings_.front());
  landings_.pop_front();
  delivered(*landing.packet);
  if (memory_) memory_->landed(landing.from, landing.address, landing.payload);
}

void Nic::delivered(const p4::Packet& packet) {
  context_.census.deliver();
  context_.journal.record(sim::Observed::message_delivered, source_, context_.calendar.now(), packet.operation,
                          packet.serial);
  if (context_.packet_observer) [[unlikely]]
    context_.packet_observer->delivered(packet, source_, context_.calendar.now());
}

void Nic::drop(const p4::Packet& packet, DropReason reason) {
  context_.drop(source_, context_.calendar.now(), packet, reason);
}

void Nic::power_off() {
  on_ = false;
  ++generation_;
  for (auto& qp : raw_) {
    for (auto& packet : qp->ring) drop(*packet, DropReason::nic_off);
    qp->ring.clear();
  }
  for (auto& connection : rc_) connection->power_off();
  for (auto& landing : landings_) drop(*landing.packet, DropReason::nic_off);
  landings_.clear();
  for (auto& held : held_transmit_) drop(*held.packet, DropReason::nic_off);
  held_transmit_.clear();
  for (auto& packet : held_receive_) drop(*packet, DropReason::nic_off);
  held_receive_.clear();
}

std::uint64_t Nic::packets_held() const {
  std::uint64_t held = fetching_ + landings_.size() + held_transmit_.size() + held_receive_.size();
  for (const auto& qp : raw_) held += qp->ring.size();
  for (const auto& connection : rc_) held += connection->packets_held();
  return held;
}

}  // namespace racksim::models
