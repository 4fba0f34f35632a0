// Engines, DMA and the atomics unit. See nic_engine.hpp.
#include "models/nic/nic_engine.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "models/packets/addressing.hpp"
#include "models/packets/rdma_headers.hpp"
#include "p4model/language/headers.hpp"

namespace racksim::models {

NicEngine::NicEngine(RackContext& context, NicCounters& counters, NodeId node, const NicOptions& options,
                     const CpuCosts& costs)
    : context_(context),
      counters_(counters),
      options_(options),
      costs_(costs),
      message_gap_(sim::transmission_time(1, static_cast<std::int64_t>(options.messages_per_second))),
      node_(node),
      verbs_differ_(std::max({options.write_time, options.send_time, options.read_time, options.long_read_time}) >
                    0_ps),
      source_(context.event_log.add_source(fmt::format("node{}/nic", node))),
      transmit_lane_(context.calendar.add_lane(fmt::format("node{}/nic/transmit", node))),
      landing_lane_(context.calendar.add_lane(fmt::format("node{}/nic/landing", node))),
      queue_pairs_(options.queue_pair_cache),
      atomic_gap_(sim::transmission_time(1, static_cast<std::int64_t>(options.atomics_per_second))) {}

void NicEngine::stamp(p4::Packet& packet) {
  packet.get_at<p4::Ethernet>(0).src = mac_of(node_);
  auto& ip = packet.get_at<p4::Ipv4>(1);
  auto& udp = packet.get_at<p4::Udp>(2);
  ip.src = ipv4_of(node_);
  ip.total_length = packet.header_bytes() + packet.payload_bytes - p4::Ethernet::kLayout.bytes();
  udp.length = ip.total_length - p4::Ipv4::kLayout.bytes();
  packet.serial = packet_serial(node_, ++next_serial_);
  context_.accounting.create();
  ++counters_.sent.value;
  context_.event_log.record(sim::Observed::message_sent, source_, context_.calendar.now(), packet.operation,
                            packet.serial, packet.wire_bytes());
  for (MessageObserver* observer : context_.message_observers) observer->sent(packet);
}

void NicEngine::post(p4::PacketRef&& packet, std::uint32_t fetch_bytes, SendOrder& order) {
  const sim::Time now = context_.calendar.now();
  if (!on_) {
    drop(*packet, DropReason::nic_off);
  } else if (fetch_bytes > 0) {
    ++counters_.pcie_reads.value;
    post_at(std::move(packet), dma_read(now + options_.pcie_latency, fetch_bytes), order);
  } else if (order.latest < now) {
    enter_engine(std::move(packet), order);
  } else {
    wait_until(now, std::move(packet), order);
  }
}

// The event is one latency before, which enter_engine adds for the doorbell.
void NicEngine::post_at(p4::PacketRef&& packet, sim::Time ready, SendOrder& order) {
  if (!on_) return drop(*packet, DropReason::nic_off);
  wait_until(ready - options_.pcie_latency, std::move(packet), order);
}

void NicEngine::wait_until(sim::Time ready, p4::PacketRef&& packet, SendOrder& order) {
  order.latest = std::max(order.latest, std::max(ready, context_.calendar.now()));
  ++fetching_;
  context_.calendar.at<&SendOrder::fetched>(order.latest, transmit_lane_, order, packet.release(),
                                            generation_ << 32 | order.life);
}

void SendOrder::fetched(p4::Packet* packet, std::uint64_t generation_and_life) {
  engine.take_waiting(p4::PacketRef::adopt(packet), generation_and_life >> 32, generation_and_life & 0xffff'ffff,
                      *this);
}

void NicEngine::take_waiting(p4::PacketRef&& packet, std::uint64_t generation, std::uint64_t life, SendOrder& order) {
  --fetching_;
  if (generation != generation_) return drop(*packet, DropReason::nic_off);
  if (life != order.life) return drop(*packet, DropReason::no_queue_pair);
  if (order.payloads) order.payloads->fill(*packet);
  enter_engine(std::move(packet), order);
}

void NicEngine::enter_engine(p4::PacketRef&& packet, SendOrder& order) {
  const sim::Time ready = context_.calendar.now() + options_.pcie_latency;
  if (!transmit_stalls_.empty()) [[unlikely]] {
    held_transmit_.push_back({.packet = std::move(packet), .ready = ready, .order = &order, .life = order.life});
    return start_held();
  }
  start(std::move(packet), ready, order);
}

void NicEngine::start(p4::PacketRef&& packet, sim::Time ready, SendOrder& order) {
  const sim::Duration fetch = fetch_state(order.queue_pair);
  const sim::Time at = transmit_.serve(ready, fetch + transmit_time(*packet)) + fetch;
  const sim::Time left = uplink_->transmit(std::move(packet), at + options_.transmit_latency);
  if (order.listener) order.listener->leaves(left);
}

sim::Duration NicEngine::transmit_time(p4::Packet& packet) const {
  if (!verbs_differ_) return message_gap_;
  const auto* bth = packet.find<Bth>();
  if (bth == nullptr) return message_gap_;
  const auto opcode = static_cast<RcOpcode>(bth->opcode);
  if (is_read_response(opcode)) {
    const bool is_long = packet.payload_bytes - kIcrcBytes > options_.long_read_bytes;
    return message_gap_ + options_.read_time + (is_long ? options_.long_read_time : 0_ps);
  }
  if (is_send(opcode)) return message_gap_ + options_.send_time;
  return message_gap_ + (is_write(opcode) ? options_.write_time : 0_ps);
}

// Starts what would have left the wire's near end before every stall, in order.
void NicEngine::start_held() {
  while (!held_transmit_.empty()) {
    if (held_transmit_.front().life != held_transmit_.front().order->life) {
      drop(*held_transmit_.front().packet, DropReason::no_queue_pair);
      held_transmit_.pop_front();
      continue;
    }
    const sim::Time ready = std::max(held_transmit_.front().ready, context_.calendar.now());
    const sim::Time at = std::max(ready, transmit_.free_at());
    const auto queue_pair = held_transmit_.front().order->queue_pair;
    const bool fetches = queue_pair && !queue_pairs_.holds(*queue_pair);
    const sim::Time leaves =
        std::max(at + (fetches ? options_.queue_pair_fetch : 0_ps) + options_.transmit_latency, uplink_->free_at());
    for (const sim::Time from : transmit_stalls_) {
      if (from <= leaves) return;
    }
    HeldPacket next = std::move(held_transmit_.front());
    held_transmit_.pop_front();
    start(std::move(next.packet), ready, *next.order);
  }
}

void NicEngine::stall_transmit(sim::Time from) {
  transmit_stalls_.push_back(from);
}

void NicEngine::resume_transmit(sim::Time from) {
  const auto stall = std::find(transmit_stalls_.begin(), transmit_stalls_.end(), from);
  if (stall == transmit_stalls_.end()) return;
  transmit_stalls_.erase(stall);
  start_held();
}

sim::Time NicEngine::dma_write(sim::Time start, std::uint32_t bytes) {
  dma_write_.serve(start + options_.receive_latency, pcie_time(bytes));
  return dma_write_.free_at() + options_.pcie_latency;
}

sim::Time NicEngine::dma_read(sim::Time ready, std::uint32_t bytes) {
  dma_read_.serve(ready, pcie_time(bytes));
  return dma_read_.free_at() + options_.pcie_latency * 2;
}

// Memory is read one PCIe latency after the unit has begun, and is free for the next atomic of the word when the new
// value is there.
NicEngine::Atomic NicEngine::atomic(sim::Time ready, std::uint64_t address) {
  ++counters_.atomics.value;
  const sim::Time now = context_.calendar.now();
  std::erase_if(busy_words_, [&](const BusyWord& word) { return word.until <= now; });
  auto word = std::find_if(busy_words_.begin(), busy_words_.end(),
                           [&](const BusyWord& busy) { return busy.address == address; });
  if (word == busy_words_.end()) word = busy_words_.insert(word, {.address = address, .until = sim::Time::beginning()});
  const sim::Time start = atomics_.serve(std::max(ready, word->until), atomic_gap_);
  word->until = start + options_.atomic_latency;
  return {start + options_.pcie_latency, start + std::max(options_.atomic_latency, options_.pcie_latency * 2 + 1_ns)};
}

void NicEngine::delivered(const p4::Packet& packet) {
  context_.accounting.deliver();
  context_.event_log.record(sim::Observed::message_delivered, source_, context_.calendar.now(), packet.operation,
                            packet.serial);
  for (PacketObserver* observer : context_.packet_observers) {
    observer->delivered(packet, source_, context_.calendar.now());
  }
}

void NicEngine::drop(const p4::Packet& packet, DropReason reason) {
  context_.drop(source_, context_.calendar.now(), packet, reason);
}

void NicEngine::power_off() {
  on_ = false;
  ++generation_;
  for (auto& held : held_transmit_) drop(*held.packet, DropReason::nic_off);
  held_transmit_.clear();
  busy_words_.clear();
  queue_pairs_.clear();
  for (Station* station : {&transmit_, &receive_, &dma_write_, &dma_read_, &atomics_}) {
    station->halt(context_.calendar.now());
  }
}

}  // namespace racksim::models
