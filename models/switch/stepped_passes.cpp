// The events of stages. See stepped_passes.hpp.
#include "models/switch/stepped_passes.hpp"

#include <stdexcept>
#include <utility>

namespace racksim::models {

SteppedPasses::SteppedPasses(sim::Calendar& calendar, const SwitchTiming& timing, const SwitchName& name)
    : calendar_(calendar), timing_(timing), lane_(calendar.add_lane(name.text + "/stages")) {}

void SteppedPasses::begin_ingress(PipeState& pipe, p4::PacketRef&& packet, const p4::IngressMetadata& metadata,
                                  IngressEnd& end) {
  Stepped& stepped = take(Stepped::Use::ingress, pipe);
  stepped.packet = std::move(packet);
  stepped.metadata = metadata;
  stepped.ingress_end = &end;
  pipe.pipeline().begin_ingress(stepped.pass, *stepped.packet, metadata);
  step_at(stepped, stepped.start + timing_.stage_offset(p4::Gress::ingress, 0));
}

void SteppedPasses::begin_egress(PipeState& pipe, p4::PacketRef&& packet, const p4::EgressMetadata& metadata,
                                 EgressEnd& end) {
  Stepped& stepped = take(Stepped::Use::egress, pipe);
  stepped.packet = std::move(packet);
  stepped.port = metadata.port;
  stepped.egress_end = &end;
  pipe.pipeline().begin_egress(stepped.pass, *stepped.packet, metadata);
  step_at(stepped, stepped.start + timing_.stage_offset(p4::Gress::egress, 0));
}

void SteppedPasses::begin_access(PipeState& pipe, SlotAccess& access) {
  Stepped& stepped = take(Stepped::Use::access, pipe);
  stepped.access = &access;
  step_at(stepped, stepped.start + timing_.access_offset(access.gress(), access.stage()));
}

SteppedPasses::Stepped& SteppedPasses::take(Stepped::Use use, PipeState& pipe) {
  if (free_.empty()) free_.push_back(all_.emplace_back(std::make_unique<Stepped>()).get());
  Stepped& stepped = *free_.back();
  free_.pop_back();
  stepped.use = use;
  stepped.pipe = &pipe;
  stepped.start = calendar_.now();
  stepped.stage = 0;
  return stepped;
}

void SteppedPasses::give_back(Stepped& stepped) {
  stepped.use = Stepped::Use::free;
  free_.push_back(&stepped);
}

void SteppedPasses::step_at(Stepped& stepped, sim::Time when) {
  stepped.next = when;
  stepped.turn = ++turns_;
  stepped.event = calendar_.at<&SteppedPasses::step>(when, lane_, *this, &stepped);
}

void SteppedPasses::step(Stepped* stepped) {
  switch (stepped->use) {
    case Stepped::Use::free:
      break;
    case Stepped::Use::ingress:
      return ingress_stage(*stepped);
    case Stepped::Use::egress:
      return egress_stage(*stepped);
    case Stepped::Use::access:
      return access_stage(*stepped);
  }
  throw std::logic_error("a stepped pass that is over has another stage");
}

void SteppedPasses::finish() {
  while (free_.size() < all_.size()) {
    Stepped* first = nullptr;
    for (const auto& stepped : all_) {
      if (stepped->use == Stepped::Use::free) continue;
      if (!first || std::pair(stepped->next, stepped->turn) < std::pair(first->next, first->turn)) {
        first = stepped.get();
      }
    }
    calendar_.cancel(first->event);
    step(first);
  }
}

bool SteppedPasses::act(Stepped& stepped, p4::Gress gress) {
  stepped.pipe->write_as(gress, stepped.start, stepped.packet->operation);
  auto& pipeline = stepped.pipe->pipeline();
  pipeline.run_stage(stepped.pass, stepped.stage);
  if (++stepped.stage == pipeline.stages()) return false;
  step_at(stepped, stepped.start + timing_.stage_offset(gress, stepped.stage));
  return true;
}

// What follows a pass may begin another, so its own place is given back first.
void SteppedPasses::ingress_stage(Stepped& stepped) {
  if (act(stepped, p4::Gress::ingress)) return;
  const auto verdict = stepped.pipe->pipeline().finish_ingress(stepped.pass);
  p4::PacketRef packet = std::move(stepped.packet);
  const auto metadata = stepped.metadata;
  give_back(stepped);
  stepped.ingress_end->ingress_ended(std::move(packet), metadata, verdict, stepped.start);
}

void SteppedPasses::egress_stage(Stepped& stepped) {
  if (act(stepped, p4::Gress::egress)) return;
  const bool kept = stepped.pipe->pipeline().finish_egress(stepped.pass);
  p4::PacketRef packet = std::move(stepped.packet);
  give_back(stepped);
  stepped.egress_end->egress_ended(std::move(packet), stepped.port, kept, stepped.start);
}

void SteppedPasses::access_stage(Stepped& stepped) {
  SlotAccess& access = *stepped.access;
  // The record's instant is the stage's, whenever the access is made.
  const sim::Time at = stepped.start + timing_.stage_offset(access.gress(), access.stage());
  give_back(stepped);
  access.execute(stepped.pipe->pipeline(), at);
}

}  // namespace racksim::models
