// Passes that act on each stage at the stage's instant, and end in what a fused pass computes in its slot. See
// switch_chassis.hpp.
#include <memory>
#include <stdexcept>
#include <utility>

#include "models/switch/switch_pipe.hpp"

namespace racksim::models {

// One that begins now.
SwitchChassis::SteppedPass* SwitchChassis::take_stepped(Pipe& pipe) {
  if (stepped_free_.empty()) stepped_free_.push_back(stepped_.emplace_back(std::make_unique<SteppedPass>()).get());
  SteppedPass* pass = stepped_free_.back();
  stepped_free_.pop_back();
  pass->pipe = &pipe;
  pass->start = context_.calendar.now();
  pass->stage = 0;
  return pass;
}

void SwitchChassis::give_back(SteppedPass* pass) {
  pass->kind = SteppedPass::Kind::free;
  pass->entry = {};
  stepped_free_.push_back(pass);
}

void SwitchChassis::step_at(SteppedPass* pass, sim::Time when) {
  pass->next = when;
  pass->turn = ++stepped_turns_;
  pass->event = context_.calendar.at<&SwitchChassis::step>(when, stage_lane_, *this, pass);
}

void SwitchChassis::step(SteppedPass* pass) {
  switch (pass->kind) {
    case SteppedPass::Kind::free:
      break;
    case SteppedPass::Kind::ingress:
      return ingress_stage(pass);
    case SteppedPass::Kind::egress:
      return egress_stage(pass);
    case SteppedPass::Kind::access:
      return access_stage(pass);
  }
  throw std::logic_error("a stepped pass that is over has another stage");
}

// Makes all steps that are events now, in the order in which they would be made.
void SwitchChassis::finish_stepped() {
  while (stepped_free_.size() < stepped_.size()) {
    SteppedPass* first = nullptr;
    for (const auto& pass : stepped_) {
      if (pass->kind == SteppedPass::Kind::free) continue;
      if (!first || std::pair(pass->next, pass->turn) < std::pair(first->next, first->turn)) first = pass.get();
    }
    context_.calendar.cancel(first->event);
    step(first);
  }
}

void SwitchChassis::ingress_stage(SteppedPass* pass) {
  auto& pipeline = *pass->pipe->pipeline;
  pass->pipe->write_as(p4::Gress::ingress, pass->start, pass->entry.packet->operation);
  pipeline.run_stage(pass->pass, pass->stage);
  if (++pass->stage < pipeline.stages()) {
    return step_at(pass, pass->start + stage_offsets_[0][static_cast<std::size_t>(pass->stage)]);
  }
  // The rest is computed here, ahead of its instants, as a fused pass computes it in its slot.
  const auto verdict = pipeline.finish_ingress(pass->pass);
  Pipe& pipe = *pass->pipe;
  Entry entry = std::move(pass->entry);
  const sim::Time start = pass->start;
  give_back(pass);
  after_ingress(pipe, std::move(entry), verdict, start);
}

void SwitchChassis::egress_stage(SteppedPass* pass) {
  auto& pipeline = *pass->pipe->pipeline;
  pass->pipe->write_as(p4::Gress::egress, pass->start, pass->entry.packet->operation);
  pipeline.run_stage(pass->pass, pass->stage);
  if (++pass->stage < pipeline.stages()) {
    return step_at(pass, pass->start + stage_offsets_[1][static_cast<std::size_t>(pass->stage)]);
  }
  const bool kept = pipeline.finish_egress(pass->pass);
  auto packet = std::move(pass->entry.packet);
  const auto copy = pass->copy;
  no_longer_inside(copy.port);
  const sim::Time start = pass->start;
  give_back(pass);
  after_egress(std::move(packet), copy.port, kept, start);
}

void SwitchChassis::access_stage(SteppedPass* pass) {
  Pipe& pipe = *pass->pipe;
  SlotAccess& access = *pass->entry.access;
  // The record's instant is the stage's, whenever the access is made.
  const sim::Time at = pass->start + stage_offset(access.gress(), access.stage());
  give_back(pass);
  access.execute(pipeline(pipe.number), at);
}

}  // namespace racksim::models
