// Which passes are idle, and when rings are caught up. See idle_passes.hpp.
#include "models/switch/idle_passes.hpp"

#include <algorithm>
#include <utility>

namespace racksim::models {

IdlePasses::Keeper::Keeper(IdlePasses& owner, SwitchPipe& pipe)
    : owner_(owner),
      pipe_(pipe),
      ring_(owner.parts_.context.calendar, {.wire = owner.parts_.ports.loopback(pipe.state().number()),
                                            .latency = owner.parts_.options.recirculation_latency,
                                            .traffic_manager = owner.egress_.traffic_manager(),
                                            .port = owner.parts_.ports.recirculation_port(pipe.state().number()),
                                            .slots = pipe.slot_lane(),
                                            .cycle = owner.parts_.timing.cycle()}) {}

// A ring knows no egress that does anything, and no slots that are further apart than packets can be on its wire.
void IdlePasses::Keeper::use() {
  const SwitchParts& parts = owner_.parts_;
  const unsigned number = pipe_.state().number();
  p4::Pipeline& pipeline = pipe_.state().pipeline();
  const auto shortest = parts.ports.loopback(number).serialisation(p4::kMinFrameBytes + p4::kPreambleAndGapBytes);
  const bool possible = parts.options.skip_idle_passes && parts.options.passes != PassMode::stepped &&
                        pipeline.egress_does_nothing() && pipeline.passes_repeat() && parts.timing.cycle() <= shortest;
  ring_.use(pipeline, parts.timing.ingress_latency() + parts.timing.traffic_manager_latency(),
            parts.timing.egress_latency());
  if (possible) pipeline.add_observer(*this);
  pipe_.hang(possible ? this : nullptr);
  owner_.egress_.hang(number, possible ? this : nullptr);
}

void IdlePasses::Keeper::catch_up() {
  if (ring_.empty()) return;
  const std::uint64_t passes = ring_.catch_up(pipe_.next_slot());
  owner_.parts_.counters.passes.value += passes;
  owner_.parts_.counters.recirculations.value += passes;
  pipe_.state().pipeline().count_passes(passes);
  pipe_.count_slots(passes);
  while (p4::PacketRef packet = ring_.take_waiting()) pipe_.wait(std::move(packet));
}

p4::Verdict IdlePasses::Keeper::run_ingress(p4::Packet& packet, const p4::IngressMetadata& metadata, bool& idle) {
  const auto before = owner_.parts_.context.packets.clone_headers(packet);
  const auto writes = writes_;
  notes_ = {};
  const auto verdict = pipe_.state().pipeline().run_ingress(packet, metadata, notes_);
  p4::Verdict again;
  again.ucast_port = metadata.port;
  idle =
      verdict == again && writes_ == writes && notes_.complete() && owner_.may_keep() && packet.same_headers(*before);
  return verdict;
}

bool IdlePasses::Keeper::keep(p4::PacketRef& packet, sim::Time ready) {
  const unsigned port = owner_.parts_.ports.recirculation_port(pipe_.state().number());
  if (!owner_.egress_.traffic_manager().reserve(port, packet->frame_bytes(), owner_)) return false;
  ring_.join(std::move(packet), notes_, ready);
  return true;
}

void IdlePasses::Keeper::register_set(std::uint32_t array, std::uint64_t index) {
  if (ring_.empty() || !ring_.looks_at(array, index)) return;
  catch_up();
  ring_.materialize(array, index);
}

void IdlePasses::Keeper::materialize() {
  catch_up();
  ring_.materialize_all();
}

void IdlePasses::Keeper::settle() {
  catch_up();
  ring_.count_lookups();
}

void IdlePasses::add_pipe(SwitchPipe& pipe) {
  keepers_.push_back(std::make_unique<Keeper>(*this, pipe));
}

void IdlePasses::use() {
  for (auto& keeper : keepers_) keeper->use();
}

bool IdlePasses::may_keep() const {
  return cuts_ == 0 && !all_seen_ && !parts_.power.will_be_off() && parts_.context.packet_observers.empty() &&
         std::none_of(parts_.observers.begin(), parts_.observers.end(),
                      [](const PassObserver* observer) { return observer->sees_idle_passes(); });
}

void IdlePasses::look_at_all() {
  materialize();
  all_seen_ = true;
}

void IdlePasses::materialize() {
  for (auto& keeper : keepers_) keeper->materialize();
}

void IdlePasses::settle() {
  for (auto& keeper : keepers_) keeper->settle();
}

std::uint64_t IdlePasses::packets() const {
  std::uint64_t sum = 0;
  for (const auto& keeper : keepers_) sum += keeper->ring().size();
  return sum;
}

std::uint64_t IdlePasses::cells() const {
  std::uint64_t sum = 0;
  for (const auto& keeper : keepers_) sum += keeper->ring().cells(parts_.options.cell_bytes);
  return sum;
}

std::uint64_t IdlePasses::events() const {
  std::uint64_t sum = 0;
  for (const auto& keeper : keepers_) sum += keeper->ring().events();
  return sum;
}

}  // namespace racksim::models
