// Replication, queues and egress passes. See switch_egress.hpp.
#include "models/switch/switch_egress.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace racksim::models {

SwitchEgress::SwitchEgress(const SwitchParts& parts, sim::Source source)
    : parts_(parts),
      source_(source),
      traffic_manager_(parts.options, parts.ports.size()),
      replication_(parts.options.bits_of_ports()),
      held_(parts.ports) {}

void SwitchEgress::add_pipe(PipeState& state) {
  states_.push_back(&state);
  lanes_.push_back(parts_.context.calendar.add_lane(fmt::format("{}/pipe{}/egress", parts_.name.text, state.number())));
  hooks_.push_back(nullptr);
}

void SwitchEgress::use(const p4::Pipeline& pipeline) {
  has_clock_ = pipeline.has_clock();
  // Time stamps travel with the packet: copies that have their own must be packets of their own.
  egress_changes_headers_ = pipeline.egress_changes_headers() || has_clock_;
  if (pipeline.program().mirror_fields() && !mirror_lane_) {
    mirror_lane_ = parts_.context.calendar.add_lane("switch/mirror");
  }
}

void SwitchEgress::forget() {
  replication_ = p4::ReplicationEngine(parts_.options.bits_of_ports());
  mirror_sessions_ = {};
  traffic_manager_.power_off(parts_.context.calendar.now());
}

void SwitchEgress::take(const PipeState& from, p4::PacketRef&& packet, const p4::Verdict& verdict, sim::Time when,
                        IdleHook* keeper) {
  if (verdict.mcast_a != p4::Verdict::kNone || verdict.mcast_b != p4::Verdict::kNone) {
    return replicate(from, std::move(packet), verdict, when);
  }
  // One copy, as nearly all packets have, needs no lists.
  const p4::Copy copy{.port = static_cast<std::uint16_t>(verdict.ucast_port), .rid = 0};
  offer(std::move(packet), copy, when, keeper);
}

void SwitchEgress::offer(p4::PacketRef&& packet, const p4::Copy& copy, sim::Time when, IdleHook* keeper) {
  traffic_manager_.advance(when);
  if (has_clock_) [[unlikely]] {
    packet->enqueued = when;
    packet->queue_cells = cells_at(copy.port);
  }
  const auto dequeued = enqueue(copy, when, *packet);
  traffic_manager_.store(packet->frame_bytes());
  if (dequeued) dequeue(std::move(packet), copy, *dequeued, keeper);
}

std::uint32_t SwitchEgress::cells_at(unsigned port) const {
  return parts_.ports.wire(port) ? static_cast<std::uint32_t>(traffic_manager_.queue_cells(port)) : 0;
}

void SwitchEgress::take_mirror_copy(p4::MirrorCopy&& mirror, sim::Time when) {
  const auto* session = mirror_sessions_.find(mirror.session);
  if (!session) return;  // no copy is made
  parts_.context.accounting.copy();
  mirror.packet->truncate(session->bytes);
  offer(std::move(mirror.packet), {.port = session->port, .rid = 0}, when, nullptr);
}

void SwitchEgress::replicate(const PipeState& from, p4::PacketRef&& packet, const p4::Verdict& verdict,
                             sim::Time when) {
  RackContext& context = parts_.context;
  copies_.clear();
  replication_.replicate(verdict, copies_);
  if (copies_.empty()) {
    return context.drop(from.source(p4::Gress::ingress), when, *packet, DropReason::switch_program);
  }
  if (copies_.size() > 1) {
    context.accounting.absorb();
    parts_.counters.copies_made.value += copies_.size();
    for (std::size_t i = 0; i < copies_.size(); ++i) context.accounting.copy();
  }
  traffic_manager_.advance(when);
  sim::Time ready = when;
  leaving_.clear();
  for (const auto& copy : copies_) {
    const std::uint32_t cells = has_clock_ ? cells_at(copy.port) : 0;
    if (const auto dequeued = enqueue(copy, ready, *packet)) leaving_.push_back({copy, *dequeued, ready, cells});
    ready += parts_.timing.copy_gap();
  }
  traffic_manager_.store(packet->frame_bytes());
  if (leaving_.empty()) return;
  const auto leave_queue = [this](const Leaving& one, p4::PacketRef&& own) {
    if (has_clock_) [[unlikely]] {
      own->enqueued = one.enqueued;
      own->queue_cells = one.queue_cells;
    }
    dequeue(std::move(own), one.copy, one.dequeued, nullptr);
  };
  for (std::size_t i = 0; i + 1 < leaving_.size(); ++i) {
    leave_queue(leaving_[i], egress_changes_headers_ ? context.packets.clone_headers(*packet) : packet.share());
  }
  leave_queue(leaving_.back(), std::move(packet));
}

std::optional<sim::Time> SwitchEgress::enqueue(const p4::Copy& copy, sim::Time ready, const p4::Packet& packet) {
  const Wire* wire = parts_.ports.wire(copy.port);
  if (!wire) {
    parts_.context.drop(source_, ready, packet, DropReason::no_port);
    return std::nullopt;
  }
  const bool recirculates = parts_.ports.recirculates(copy.port);
  if (recirculates) {
    // Whose passes use the queue too: perhaps another pipe's than the one that the packet comes from.
    if (IdleHook* hook = hooks_[parts_.ports.pipe_of(copy.port)]) hook->catch_up();
  }
  const auto dequeued =
      traffic_manager_.enqueue(copy.port, ready, packet.frame_bytes(), wire->serialisation(packet.wire_bytes()));
  if (!dequeued) {
    if (recirculates) ++parts_.counters.recirculation_drops.value;
    parts_.context.drop(source_, ready, packet, DropReason::tail_drop);
  }
  return dequeued;
}

void SwitchEgress::dequeue(p4::PacketRef&& packet, const p4::Copy& copy, sim::Time dequeued, IdleHook* keeper) {
  if (parts_.timing.egress_uses_registers()) {
    const sim::Time off_from = parts_.power.off_from();
    if (dequeued >= off_from) [[unlikely]]
      return parts_.context.drop(source_, off_from, *packet, DropReason::switch_off);
    held_.add(copy.port);
    parts_.context.calendar.at<&SwitchEgress::run_pass>(dequeued, lanes_[parts_.ports.pipe_of(copy.port)], *this,
                                                        packet.release(), copy);
    return;
  }
  const p4::EgressMetadata metadata{
      .port = copy.port, .rid = copy.rid, .packet_length = packet->frame_bytes(), .begin = dequeued};
  const bool kept = run_egress(state_at(copy.port), *packet, metadata, dequeued);
  leave(std::move(packet), copy.port, kept, dequeued, keeper);
}

void SwitchEgress::mirror_behind_egress(PipeState& state, unsigned port, sim::Time end) {
  auto copy = state.pipeline().take_mirror_copy();
  if (!mirror_sessions_.find(copy.session)) return;  // no copy is made
  parts_.context.accounting.copy();
  held_.add(port);
  parts_.context.calendar.at<&SwitchEgress::mirrored>(end, *mirror_lane_, *this, copy.packet.release(),
                                                      std::uint32_t{copy.session} | port << 16);
}

void SwitchEgress::mirrored(p4::Packet* raw, std::uint32_t session_and_port) {
  auto packet = p4::PacketRef::adopt(raw);
  held_.remove(session_and_port >> 16);
  RackContext& context = parts_.context;
  const sim::Time now = context.calendar.now();
  if (now >= parts_.power.off_from()) return parts_.power.lose(*packet);
  const auto* session = mirror_sessions_.find(static_cast<std::uint16_t>(session_and_port));
  if (!session) return context.drop(source_, now, *packet, DropReason::switch_program);
  packet->truncate(session->bytes);
  offer(std::move(packet), {.port = session->port, .rid = 0},
        now + parts_.timing.ingress_latency() + parts_.timing.traffic_manager_latency(), nullptr);
}

bool SwitchEgress::run_egress(PipeState& state, p4::Packet& packet, const p4::EgressMetadata& metadata, sim::Time at) {
  for (PassObserver* observer : parts_.observers) observer->before_egress(packet, metadata, at);
  const bool kept = state.pipeline().run_egress(packet, metadata);
  for (PassObserver* observer : parts_.observers) observer->after_egress(packet, metadata, kept);
  return kept;
}

void SwitchEgress::run_pass(p4::Packet* raw, p4::Copy copy) {
  auto packet = p4::PacketRef::adopt(raw);
  PipeState& state = state_at(copy.port);
  const sim::Time now = parts_.context.calendar.now();
  const p4::EgressMetadata metadata{
      .port = copy.port, .rid = copy.rid, .packet_length = packet->frame_bytes(), .begin = now};
  if (parts_.options.passes == PassMode::stepped) {
    return parts_.stepped.begin_egress(state, std::move(packet), metadata, *this);
  }
  state.write_as(p4::Gress::egress, now, packet->operation);
  const bool kept = run_egress(state, *packet, metadata, now);
  egress_ended(std::move(packet), copy.port, kept, now);
}

void SwitchEgress::egress_ended(p4::PacketRef&& packet, unsigned port, bool kept, sim::Time start) {
  held_.remove(port);
  leave(std::move(packet), port, kept, start, nullptr);
}

void SwitchEgress::leave(p4::PacketRef&& packet, unsigned port, bool kept, sim::Time dequeued, IdleHook* keeper) {
  const sim::Source source = state_at(port).source(p4::Gress::egress);
  const sim::Time ready = dequeued + parts_.timing.egress_latency();
  if (state_at(port).pipeline().has_mirror_copy()) [[unlikely]]
    mirror_behind_egress(state_at(port), port, ready);
  packet->mirror_kind = p4::MirrorKind::none;
  if (!kept) return parts_.context.drop(source, ready, *packet, DropReason::switch_program);
  Wire& wire = *parts_.ports.wire(port);
  const sim::Time off_from = parts_.power.off_from();
  if (std::max(ready, wire.free_at()) >= off_from) [[unlikely]] {
    return parts_.context.drop(source, off_from, *packet, DropReason::switch_off);
  }
  if (parts_.ports.is_front(port)) {
    ++parts_.counters.packets_out.value;
  } else if (parts_.ports.recirculates(port)) {
    ++parts_.counters.recirculations.value;
    if (keeper && keeper->keep(packet, ready)) return;
  }
  wire.transmit(std::move(packet), ready);
}

}  // namespace racksim::models
