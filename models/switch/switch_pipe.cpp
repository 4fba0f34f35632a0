// Slots and ingress passes. See switch_pipe.hpp.
#include "models/switch/switch_pipe.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "sim/record/history.hpp"

namespace racksim::models {

SwitchPipe::SwitchPipe(const SwitchParts& parts, SwitchEgress& egress, unsigned number)
    : parts_(parts),
      egress_(egress),
      state_(parts.context, parts.timing, parts.name, number, parts.options.pipe.stages),
      slot_lane_(parts.context.calendar.add_lane(fmt::format("{}/pipe{}/slot", parts.name.text, number))),
      resubmit_lane_(parts.context.calendar.add_lane(fmt::format("{}/pipe{}/resubmit", parts.name.text, number))),
      wait_random_(parts.context.seed, fmt::format("{}/pipe{}/resubmit", parts.name.text, number)),
      held_(parts.ports) {}

void SwitchPipe::receive(p4::PacketRef&& packet, unsigned port) {
  const bool front = parts_.ports.is_front(port);
  if (front) ++parts_.counters.packets_in.value;
  if (cuts_ > 0) [[unlikely]] {
    return parts_.context.drop(state_.source(p4::Gress::ingress), parts_.context.calendar.now(), *packet,
                               DropReason::switch_off);
  }
  held_.add(port);
  enter(
      {.packet = std::move(packet),
       .metadata = {
           .port = static_cast<std::uint16_t>(port), .may_resubmit = front, .arrived = parts_.context.calendar.now()}});
}

void SwitchPipe::enter(Entry&& entry) {
  const sim::Time now = parts_.context.calendar.now();
  if (now >= parts_.power.off_from()) [[unlikely]]
    return refuse(std::move(entry));
  if (hook_) hook_->catch_up();
  if (next_slot_ > now) return wait_for_slot(std::move(entry));
  next_slot_ = now + parts_.timing.cycle();
  ++slots_;
  execute(std::move(entry));
}

void SwitchPipe::wait_for_slot(Entry&& entry) {
  if (!parts_.ports.recirculates(entry.metadata.port)) waits_.add(parts_.context.calendar.now(), next_slot_);
  waiting_.push(std::move(entry));
  ++slots_;
  parts_.context.calendar.at<&SwitchPipe::slot>(next_slot_, slot_lane_, *this);
  next_slot_ += parts_.timing.cycle();
}

sim::Duration SwitchPipe::worked() const {
  const sim::Duration all = parts_.timing.cycle() * static_cast<std::int64_t>(slots_);
  return all - std::clamp(next_slot_ - parts_.context.calendar.now(), sim::Duration{}, all);
}

sim::Duration SwitchPipe::waited() const {
  const sim::Time now = parts_.context.calendar.now();
  sim::Duration ahead;
  sim::Time slot = next_slot_ - parts_.timing.cycle() * static_cast<std::int64_t>(waiting_.size());
  for (const Entry& entry : waiting_) {
    if (!parts_.ports.recirculates(entry.metadata.port)) ahead += std::max(slot - now, sim::Duration{});
    slot += parts_.timing.cycle();
  }
  return waits_.sum() - ahead;
}

void SwitchPipe::wait(p4::PacketRef&& packet) {
  const auto port = static_cast<std::uint16_t>(parts_.ports.recirculation_port(state_.number()));
  held_.add(port);
  wait_for_slot({.packet = std::move(packet), .metadata = {.port = port, .may_resubmit = false}});
}

// The switch is off: a packet is lost, an access of the control plane waits.
void SwitchPipe::refuse(Entry&& entry) {
  if (entry.access) return parts_.power.hold(state_.number(), *entry.access);
  held_.remove(entry.metadata.port);
  parts_.power.lose(*entry.packet);
}

// What is in the queues or on its way there has been or will be dropped when its departure is computed.
void SwitchPipe::power_off() {
  while (!waiting_.empty()) {
    ++lost_slots_;
    refuse(waiting_.pop());
  }
  last_off_ = parts_.context.calendar.now();
}

void SwitchPipe::slot() {
  if (lost_slots_ > 0) [[unlikely]] {
    --lost_slots_;
    return;
  }
  if (hook_) hook_->catch_up();
  execute(waiting_.pop());
}

void SwitchPipe::execute(Entry&& entry) {
  if (entry.access) return execute_access(*entry.access);
  ingress_pass(std::move(entry));
}

// An access behaves as a packet in its slot: it meets the state of a stage after the passes before it and before those
// after it.
void SwitchPipe::execute_access(SlotAccess& access) {
  if (parts_.options.passes == PassMode::stepped) return parts_.stepped.begin_access(state_, access);
  access.execute(state_.pipeline(),
                 parts_.context.calendar.now() + parts_.timing.stage_offset(access.gress(), access.stage()));
}

void SwitchPipe::ingress_pass(Entry&& entry) {
  ++parts_.counters.passes.value;
  // A sender may have kept a reference, and a copy made by multicast may come back: neither must see the changes.
  if (!entry.packet.unique()) entry.packet = parts_.context.packets.clone_headers(*entry.packet);
  auto& pipeline = state_.pipeline();
  const sim::Time now = parts_.context.calendar.now();
  for (PacketObserver* observer : parts_.context.packet_observers) {
    observer->pass_begins(*entry.packet, state_.number(), now, entry.metadata.resubmitted);
  }
  entry.metadata.begin = now;
  if (parts_.options.passes == PassMode::stepped) {
    return parts_.stepped.begin_ingress(state_, std::move(entry.packet), entry.metadata, *this);
  }
  state_.write_as(p4::Gress::ingress, now, entry.packet->operation);
  for (PassObserver* observer : parts_.observers) observer->before_ingress(*entry.packet, entry.metadata);
  bool idle = false;
  const auto verdict = hook_ && parts_.ports.recirculates(entry.metadata.port)
                           ? hook_->run_ingress(*entry.packet, entry.metadata, idle)
                           : pipeline.run_ingress(*entry.packet, entry.metadata);
  for (PassObserver* observer : parts_.observers) observer->after_ingress(*entry.packet, entry.metadata, verdict);
  go_on(std::move(entry), verdict, now, idle ? hook_ : nullptr);
}

void SwitchPipe::ingress_ended(p4::PacketRef&& packet, const p4::IngressMetadata& metadata, const p4::Verdict& verdict,
                               sim::Time slot) {
  go_on({.packet = std::move(packet), .metadata = metadata}, verdict, slot, nullptr);
}

void SwitchPipe::go_on(Entry&& entry, const p4::Verdict& verdict, sim::Time slot, IdleHook* keeper) {
  const sim::Time done = slot + parts_.timing.ingress_latency();
  if (state_.pipeline().has_requests()) [[unlikely]]
    serve_requests(done);
  if (verdict.resubmit) {
    ++parts_.counters.resubmits.value;
    entry.metadata.resubmitted = true;
    entry.metadata.resubmit_data = verdict.resubmit_data;
    if (const sim::Duration most = shuffles_.empty() ? sim::Duration{} : most_wait_of(slot); most > sim::Duration{})
        [[unlikely]] {
      const auto wait = sim::Duration::from_ps(
          static_cast<std::int64_t>(wait_random_.below(static_cast<std::uint64_t>(most.ps()) + 1)));
      sim::record_disturbance(parts_.context.event_log, state_.source(p4::Gress::ingress), done,
                              entry.packet->operation, sim::Disturbance::late);
      shuffled_.emplace(next_shuffled_, Shuffled{std::move(entry), slot});
      parts_.context.calendar.at<&SwitchPipe::resubmitted_out_of_order>(done + wait, resubmit_lane_, *this,
                                                                        next_shuffled_++);
      return;
    }
    resubmitting_.push(std::move(entry));
    parts_.context.calendar.at<&SwitchPipe::resubmitted>(done, resubmit_lane_, *this);
    return;
  }
  held_.remove(entry.metadata.port);
  if (verdict.dropped()) {
    return parts_.context.drop(state_.source(p4::Gress::ingress), done, *entry.packet, DropReason::switch_program);
  }
  egress_.take(state_, std::move(entry.packet), verdict, done + parts_.timing.traffic_manager_latency(), keeper);
}

// A digest goes to the control CPU in every case, a mirror copy in front of its packet (docs/hardware.md 6.6).
void SwitchPipe::serve_requests(sim::Time done) {
  p4::Pipeline& pipeline = state_.pipeline();
  if (pipeline.has_digest()) parts_.digests.send(state_.number(), pipeline.take_digest(), done);
  if (pipeline.has_mirror_copy()) {
    egress_.take_mirror_copy(pipeline.take_mirror_copy(), done + parts_.timing.traffic_manager_latency());
  }
}

void SwitchPipe::resubmitted() {
  enter(resubmitting_.pop());
}

// It may have waited for longer than the switch was off.
void SwitchPipe::resubmitted_out_of_order(std::uint64_t number) {
  Shuffled waited = std::move(shuffled_.extract(number).mapped());
  if (waited.slot <= last_off_) return refuse(std::move(waited.entry));
  enter(std::move(waited.entry));
}

void SwitchPipe::shuffle_resubmits(sim::Duration most) {
  shuffles_.emplace_back(parts_.context.calendar.now(), most);
}

// By when the pass began, which is known alike in fused and in stepped passes.
sim::Duration SwitchPipe::most_wait_of(sim::Time slot) const {
  for (auto shuffle = shuffles_.rbegin(); shuffle != shuffles_.rend(); ++shuffle) {
    if (shuffle->first < slot) return shuffle->second;
  }
  return {};
}

}  // namespace racksim::models
