// Steering, raw queue pairs and what is written to memory. See nic.hpp.
#include "models/nic/nic.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/packets/addressing.hpp"
#include "models/packets/rdma_headers.hpp"
#include "p4model/language/headers.hpp"

namespace racksim::models {

Nic::Nic(RackContext& context, NicCounters& counters, NodeId node, const NicOptions& options, const CpuCosts& costs)
    : engine_(context, counters, node, options, costs) {}

Nic::~Nic() = default;

CompletionQueue& Nic::create_completion_queue(Core& poller, CompletionHandler& handler) {
  return *completion_queues_.emplace_back(std::make_unique<CompletionQueue>(engine_, poller, handler));
}

ReceiveQueue& Nic::create_shared_receive_queue() {
  return *shared_receives_.emplace_back(std::make_unique<ReceiveQueue>());
}

ReliableConnection& Nic::create_reliable(const QueuePair::Queues& queues) {
  const Qpn number{kFirstRdmaQpn + queue_pairs_.size()};
  auto made = std::make_unique<ReliableConnection>(engine_, number, queues, memory_, static_cast<DmaWrites&>(*this));
  ReliableConnection& connection = *made;
  queue_pairs_.push_back(std::move(made));
  return connection;
}

Datagram& Nic::create_datagram(const QueuePair::Queues& queues) {
  const Qpn number{kFirstRdmaQpn + queue_pairs_.size()};
  auto made = std::make_unique<Datagram>(engine_, number, queues);
  Datagram& datagram = *made;
  queue_pairs_.push_back(std::move(made));
  return datagram;
}

Qpn Nic::create_raw_qp(Core& poller, PacketHandler& handler, sim::Duration handling) {
  if (raw_.size() == kRawQpns) throw std::runtime_error(fmt::format("node {}: no raw queue pair is left", node()));
  raw_.push_back(std::make_unique<RawQueuePair>(engine_, poller, handler,
                                                engine_.costs().receive + engine_.costs().poll + handling));
  return Qpn{kFirstRawQpn + static_cast<std::uint32_t>(raw_.size() - 1)};
}

void Nic::send_raw(Qpn qpn, p4::PacketRef&& packet) {
  if (qpn < kFirstRawQpn || qpn - kFirstRawQpn >= raw_.size()) {
    throw std::logic_error(fmt::format("node {}: {} is no raw queue pair", node(), qpn));
  }
  auto& udp = packet->get_at<p4::Udp>(2);
  if (udp.src_port == 0) udp.src_port = qpn;
  engine_.stamp(*packet);
  auto& qp = *raw_[qpn - kFirstRawQpn];
  qp.poller.charge(engine_.costs().post);
  const std::uint32_t bytes = packet->frame_bytes() - p4::kFcsBytes;
  engine_.post(std::move(packet), bytes <= engine_.options().inline_bytes ? 0 : bytes, qp.order);
}

void Nic::resume_receive() {
  if (receive_stalls_ == 0 || --receive_stalls_ > 0) return;
  for (auto& packet : std::exchange(held_receive_, {})) accept(std::move(packet));
}

void Nic::receive(p4::PacketRef&& packet, unsigned) {
  if (!engine_.is_on()) return engine_.drop(*packet, DropReason::nic_off);
  ++engine_.counters().received.value;
  if (!is_addressed(*packet)) return engine_.drop(*packet, DropReason::wrong_address);
  for (MessageObserver* observer : engine_.context().message_observers) observer->received(*packet);
  if (receive_stalls_ > 0) [[unlikely]] {
    if (held_receive_.size() >= engine_.options().receive_ring) return engine_.drop(*packet, DropReason::ring_full);
    held_receive_.push_back(std::move(packet));
    return;
  }
  accept(std::move(packet));
}

void Nic::detach(Datagram& queue_pair, std::uint16_t group) {
  const auto found = groups_.find(multicast_ipv4_of(group));
  if (found == groups_.end()) return;
  found->second.erase(&queue_pair);
  if (found->second.empty()) groups_.erase(found);
}

// A NIC takes frames for its own MAC address, and of those the transports take what is for its own IPv4 address; and
// those for a group that a queue pair is attached to.
bool Nic::is_addressed(p4::Packet& packet) const {
  const auto* ethernet = packet.find_at<p4::Ethernet>(0);
  const auto* ip = packet.find_at<p4::Ipv4>(1);
  if (ethernet == nullptr) return false;
  if (ethernet->dst == mac_of(node())) return !ip || ip->dst == ipv4_of(node());
  return ip && !groups_.empty() && groups_.contains(ip->dst);
}

void Nic::accept(p4::PacketRef&& packet) {
  const auto* udp = packet->find_at<p4::Udp>(2);
  if (udp && udp->dst_port == kRoceUdpPort) {
    const auto* bth = packet->find<Bth>();
    const auto index = bth ? bth->dest_qp - kFirstRdmaQpn : queue_pairs_.size();
    if (index < queue_pairs_.size()) {
      return queue_pairs_[index]->receive(std::move(packet), engine_.begin_receive(static_cast<std::uint32_t>(index)));
    }
    const sim::Time start = engine_.begin_receive({});
    if (bth && bth->dest_qp == kMulticastQpn) return accept_for_group(std::move(packet), start);
    return engine_.drop(*packet, DropReason::no_queue_pair);
  }
  const sim::Time start = engine_.begin_receive({});
  if (!udp) return engine_.drop(*packet, DropReason::no_queue_pair);
  const auto index = udp->dst_port - kFirstRawQpn;
  if (index >= raw_.size()) return engine_.drop(*packet, DropReason::no_queue_pair);
  auto& qp = *raw_[index];
  if (qp.ring.size() >= engine_.options().receive_ring) return engine_.drop(*packet, DropReason::ring_full);
  const sim::Time done = engine_.dma_write(start, packet->frame_bytes() - p4::kFcsBytes);
  qp.ring.push(std::move(packet));
  qp.poller.run_at<&RawQueuePair::poll>(done, qp.cost, qp, engine_.generation());
}

// Each queue pair has a copy of its own. The NIC may have been stalled since the packet came, and nobody be attached
// now.
void Nic::accept_for_group(p4::PacketRef&& packet, sim::Time start) {
  const auto found = groups_.find(packet->get_at<p4::Ipv4>(1).dst);
  if (found == groups_.end()) return engine_.drop(*packet, DropReason::no_queue_pair);
  const auto& members = found->second;
  if (members.size() > 1) {
    engine_.context().accounting.absorb();
    for (std::size_t i = 0; i < members.size(); ++i) engine_.context().accounting.copy();
  }
  for (Datagram* member : members) member->receive(packet.share(), start);
}

void Nic::RawQueuePair::poll(std::uint64_t generation) {
  if (generation != engine.generation()) return;
  p4::PacketRef packet = ring.pop();
  engine.delivered(*packet);
  handler.on_packet(std::move(packet));
}

void Nic::land(p4::PacketRef&& packet, sim::Time when, NodeId from, RemoteAddress at, std::uint32_t bytes) {
  dma_writes_.push_back({.packet = std::move(packet), .from = from, .at = at, .bytes = bytes});
  engine_.calendar().at<&Nic::landed>(when, engine_.landing_lane(), *this, engine_.generation());
}

void Nic::landed(std::uint64_t generation) {
  if (generation != engine_.generation()) return;
  const DmaWrite write = std::move(dma_writes_.front());
  dma_writes_.pop_front();
  if (write.cut_off) return engine_.drop(*write.packet, DropReason::no_queue_pair);
  engine_.delivered(*write.packet);
  // The region may have gone since the WRITE came; then nobody is to see it.
  const Memory::Region* region = memory_.find(write.at.key);
  if (region == nullptr) return;
  const Content& content = write.packet->content;
  if (region->stored) memory_.write(write.at.address, content);
  for (MemoryObserver* observer : region->observers) {
    observer->landed(write.from, write.at.address, write.bytes, content);
  }
}

void Nic::add_waits(std::vector<sim::Wait>& waits) const {
  for (const auto& queue_pair : queue_pairs_) queue_pair->add_waits(waits);
}

void Nic::power_off() {
  engine_.power_off();
  for (auto& qp : raw_) {
    for (auto& packet : qp->ring) engine_.drop(*packet, DropReason::nic_off);
    qp->ring.clear();
    qp->order.reset();
  }
  for (auto& queue : completion_queues_) queue->power_off();
  for (auto& receives : shared_receives_) receives->clear();
  for (auto& qp : queue_pairs_) qp->power_off();
  groups_.clear();
  for (auto& write : dma_writes_) engine_.drop(*write.packet, DropReason::nic_off);
  dma_writes_.clear();
  for (auto& packet : held_receive_) engine_.drop(*packet, DropReason::nic_off);
  held_receive_.clear();
  memory_.crash();
}

void Nic::cut_off(NodeId remote) {
  for (auto& qp : queue_pairs_) qp->cut_off(remote);
  for (DmaWrite& write : dma_writes_) write.cut_off = write.cut_off || write.from == remote;
}

std::uint64_t Nic::packets_held() const {
  std::uint64_t held = engine_.packets_held() + dma_writes_.size() + held_receive_.size();
  for (const auto& qp : raw_) held += qp->ring.size();
  for (const auto& queue : completion_queues_) held += queue->packets_held();
  return held;
}

}  // namespace racksim::models
