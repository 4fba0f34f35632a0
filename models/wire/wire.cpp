// Serialisation and faults of a wire. See wire.hpp.
#include "models/wire/wire.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "sim/kernel/invariant.hpp"

namespace racksim::models {

namespace {
// Uniform in [0, limit], to the picosecond.
sim::Duration uniform_up_to(sim::RandomStream& random, sim::Duration limit) {
  return sim::Duration::from_ps(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(limit.ps()) + 1)));
}
}  // namespace

Wire::Wire(RackContext& context, std::string name, std::uint64_t bits_per_second, sim::Duration propagation,
           PacketSink& sink, unsigned port)
    : context_(context),
      picoseconds_per_bit_(bits_per_second > 0 && 1'000'000'000'000 % bits_per_second == 0
                               ? static_cast<std::int64_t>(1'000'000'000'000 / bits_per_second)
                               : 0),
      propagation_(propagation),
      sink_(sink),
      port_(port),
      lane_(context.calendar.add_lane("wire/" + name)),
      source_(context.event_log.add_source("wire/" + name)),
      arrival_source_(context.event_log.add_source("wire/" + name + "/arrival")),
      name_(std::move(name)),
      bits_per_second_(bits_per_second),
      random_(context.seed, "wire/" + name_) {
  if (bits_per_second == 0) throw std::runtime_error(fmt::format("wire {}: a rate of 0", name_));
  if (propagation < sim::Duration{}) throw std::runtime_error(fmt::format("wire {}: a negative length", name_));
  make_trials_ahead();
}

void Wire::set_faults(const WireFaults& faults, sim::Time from, sim::Time until) {
  if (until <= from) return;
  const auto later = std::find_if(windows_.begin(), windows_.end(), [&](const auto& w) { return w.from > from; });
  windows_.insert(later, {.from = from, .until = until, .faults = faults});
  next_change_ = std::min(next_change_, from);
}

void Wire::heal(sim::Time from) {
  std::erase_if(windows_, [&](const auto& window) { return window.from >= from; });
  for (FaultWindow& window : windows_) window.until = std::min(window.until, from);
  if (!windows_.empty()) next_change_ = std::min(next_change_, from);
  for (TargetedFault& fault : targeted_) fault.until = std::min(fault.until, from);
}

void Wire::change_faults(sim::Time start) {
  std::erase_if(windows_, [&](const auto& window) { return window.until <= start; });
  faults_ = {};
  next_change_ = sim::Time::max();
  for (const FaultWindow& window : windows_) {
    if (window.from <= start) faults_ = window.faults;
    next_change_ = std::min(next_change_, window.from > start ? window.from : window.until);
  }
  if (faults_.burst_enter <= 0) in_burst_ = false;
  chances_.loss.set(faults_.loss, random_);
  chances_.burst_enter.set(faults_.burst_enter, random_);
  chances_.burst_leave.set(faults_.burst_leave, random_);
  chances_.burst_loss.set(faults_.burst_loss, random_);
  chances_.duplicate.set(faults_.duplicate, random_);
  chances_.reorder.set(faults_.reorder, random_);
  chances_.spike.set(faults_.spike, random_);
  unharmed_ = 0;
  make_trials_ahead();
}

// Nearly all packets meet nothing: those until the next that does are as on a sound wire.
void Wire::make_trials_ahead() {
  if (in_burst_ || faults_.jitter > sim::Duration{} || !targeted_.empty()) return;
  unharmed_ = ~std::uint64_t{0};
  for (const sim::RareChance* chance : chances_.always()) unharmed_ = std::min(unharmed_, chance->failures_left());
  for (sim::RareChance* chance : chances_.always()) chance->skip(unharmed_);
}

void Wire::take_back_trials() {
  for (sim::RareChance* chance : chances_.always()) chance->take_back(unharmed_);
  unharmed_ = 0;
}

void Wire::set_up(bool up) {
  const bool was_up = cuts_ == 0;
  if (!up) {
    ++cuts_;
  } else if (cuts_ > 0 && --cuts_ == 0) {
    up_since_ = context_.calendar.now();
  }
  if (was_up == (cuts_ == 0)) return;
  sink_.carrier_changed(port_, up);
  if (sender_) sender_->carrier_changed(sender_port_, up);
}

[[gnu::always_inline]] inline void Wire::launch(p4::PacketRef&& packet, sim::Time start, sim::Time arrival,
                                                WirePassage passage) {
  RACKSIM_INVARIANT(arrival >= start + serialisation(packet->wire_bytes()) + propagation_,
                    "no packet arrives before its last bit can");
  ++in_flight_;
  for (PacketObserver* observer : context_.packet_observers) {
    passage.wire = source_;
    passage.start = start;
    passage.arrival = arrival;
    observer->on_wire(*packet, passage);
  }
  context_.calendar.at<&Wire::arrive>(arrival, lane_, *this, packet.release(), start);
}

sim::Time Wire::transmit(p4::PacketRef&& packet, sim::Time ready) {
  const std::uint32_t bytes = packet->wire_bytes();
  const sim::Time start = std::max(slots_.take(ready), free_at_);
  const auto serialisation = this->serialisation(bytes);
  RACKSIM_INVARIANT(start >= free_at_ && start >= ready,
                    "a wire carries one packet at a time, none before it is ready");
  if (start > ready) waits_.add(ready, start);
  const sim::Time sent = start + serialisation;
  free_at_ = sent;
  ++packets_sent_;
  bytes_sent_ += bytes - saved_bytes_;
  if (start >= next_change_) [[unlikely]]
    change_faults(start);
  if (unharmed_ > 0 && targeted_.empty()) {
    --unharmed_;
    // A wire that was faulty until now must not let this one overtake those that are late.
    if (last_arrival_ > sent + propagation_ + usual_jitter_) [[unlikely]]
      report_late(*packet, start);
    last_arrival_ = std::max(last_arrival_, sent + propagation_);
    launch(std::move(packet), start, last_arrival_);
  } else {
    take_back_trials();
    transmit_through_faults(std::move(packet), start, serialisation);
    make_trials_ahead();
  }
  return sent;
}

// Packets are handed over ahead of their start: what lies behind the present instant is taken off.
Wire::Occupied Wire::occupied() const {
  const sim::Time now = context_.calendar.now();
  const auto by_now = [now](double ps, sim::Time free_at) {
    const auto all = sim::Duration::from_ps(std::llround(ps));
    return all - std::clamp(free_at - now, sim::Duration{}, all);
  };
  return {
      .bits = by_now(8e12 * static_cast<double>(bytes_sent_) / static_cast<double>(bits_per_second_), free_at_),
      .packets = by_now(static_cast<double>(packets_sent_) * static_cast<double>(slots_.gap().ps()), slots_.free_at())};
}

sim::Duration Wire::waited() const {
  if (packets_sent_ == 0) return {};
  const auto packets = static_cast<std::int64_t>(packets_sent_);
  const auto bits = sim::Duration::from_ps(static_cast<std::int64_t>(
      8e12 * static_cast<double>(bytes_sent_) / static_cast<double>(bits_per_second_) / static_cast<double>(packets)));
  return waits_.sum() - still_to_wait(free_at() - context_.calendar.now(), std::max(bits, slots_.gap()));
}

sim::Time Wire::transmit_unseen(std::uint32_t bytes, sim::Time ready) {
  transmitted_unseen(1, bytes, std::max(ready, free_at_) + serialisation(bytes));
  return last_arrival_;
}

void Wire::transmitted_unseen(std::uint64_t packets, std::uint64_t bytes, sim::Time free_at) {
  packets_sent_ += packets;
  bytes_sent_ += bytes;
  free_at_ = free_at;
  last_arrival_ = free_at + propagation_;
}

void Wire::materialize(p4::PacketRef&& packet, sim::Time arrival) {
  const sim::Time start = arrival - propagation_ - serialisation(packet->wire_bytes());
  launch(std::move(packet), start, arrival);
}

void Wire::transmit_through_faults(p4::PacketRef&& packet, sim::Time start, sim::Duration serialisation) {
  const FaultEffect effect = effect_of(*packet, start);
  if (effect.lost) return;

  // Bits may be late, but a wire delivers in order; only a packet that is held back alone loses its place.
  sim::Duration stalled = effect.stall;
  if (faults_.jitter > sim::Duration{}) stalled += uniform_up_to(random_, faults_.jitter);
  if (chances_.spike.happens(random_)) stalled += faults_.spike_delay;
  const sim::Time sent = start + serialisation;
  sim::Time late = sent + propagation_ + stalled;
  const bool doubled = chances_.duplicate.happens(random_);
  const bool twice = doubled || effect.copy;
  const bool named = effect.hold > sim::Duration{} || effect.stall > sim::Duration{} || effect.copy;
  std::array<p4::PacketRef, 2> both;
  if (twice) {
    both[0] = context_.packets.clone_headers(*packet);
    context_.accounting.copy();
  }
  both[twice ? 1 : 0] = std::move(packet);
  for (int copy = 0; copy < (twice ? 2 : 1); ++copy) {
    p4::PacketRef& one = both[static_cast<std::size_t>(copy)];
    sim::Duration held = copy == 0 ? effect.hold : effect.copy.value_or(effect.hold);
    // No trial for a copy that is there by name alone: chance does to the others what it did without it.
    if ((copy == 0 || doubled) && chances_.reorder.happens(random_)) {
      held += sim::Duration::from_ps(1) + uniform_up_to(random_, faults_.reorder_delay - sim::Duration::from_ps(1));
    }
    const sim::Time usual = sent + propagation_ + usual_jitter_ + serialisation * copy;
    if (held > sim::Duration{} || std::max(last_arrival_, late) > usual) report_late(*one, start);
    const sim::Time in_order = std::max(last_arrival_, late);
    if (held == sim::Duration{}) last_arrival_ = in_order;
    WirePassage passage;
    passage.copy = copy == 1;
    passage.held = held;
    passage.stalled = stalled;
    passage.named = named;
    launch(std::move(one), start, in_order + held, passage);
    late += serialisation;
  }
}

void Wire::report_late(const p4::Packet& packet, sim::Time start) {
  sim::record_disturbance(context_.event_log, source_, start, packet.operation, sim::Disturbance::late);
}

Wire::FaultEffect Wire::effect_of(const p4::Packet& packet, sim::Time start) {
  using Effect = TargetedFault::Effect;
  FaultEffect effect;
  DropReason reason = DropReason::loss;
  for (auto& fault : targeted_) {
    if (start < fault.from || start >= fault.until || !fault.match.matches(packet)) continue;
    ++fault.seen;
    if (fault.seen < fault.first) continue;
    const std::uint64_t later = fault.seen - fault.first;
    if (later % fault.every != 0 || later / fault.every >= fault.count) continue;
    switch (fault.effect) {
      case Effect::drop:
        effect.lost = true;
        reason = fault.reason;
        break;
      case Effect::hold:
        effect.hold = std::max(effect.hold, fault.delay);
        break;
      case Effect::stall:
        effect.stall = std::max(effect.stall, fault.delay);
        break;
      case Effect::duplicate:
        effect.copy = std::max(effect.copy.value_or(sim::Duration{}), fault.delay);
        break;
    }
  }
  // Each packet is a trial of its kind of chance, whatever else happens to it.
  in_burst_ = in_burst_ ? !chances_.burst_leave.happens(random_) : chances_.burst_enter.happens(random_);
  if (in_burst_ && chances_.burst_loss.happens(random_) && !effect.lost) {
    effect.lost = true;
    reason = DropReason::burst_loss;
  }
  if (chances_.loss.happens(random_)) effect.lost = true;
  if (effect.lost) context_.drop(source_, start, packet, reason);
  return effect;
}

void Wire::arrive(p4::Packet* raw, sim::Time start) {
  p4::PacketRef packet = p4::PacketRef::adopt(raw);
  RACKSIM_INVARIANT(in_flight_ > 0, "a packet that arrives was on the wire");
  --in_flight_;
  // Judged here, because a packet may be handed over before it starts: was the wire up all the time?
  if (cuts_ > 0 || up_since_ > start) {
    context_.drop(arrival_source_, context_.calendar.now(), *packet, DropReason::wire_down);
    return;
  }
  ++packets_arrived_;
  bytes_arrived_ += packet->wire_bytes() - saved_bytes_;
  sink_.receive(std::move(packet), port_);
}

}  // namespace racksim::models
