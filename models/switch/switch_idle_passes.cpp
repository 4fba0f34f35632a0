// Where the chassis leaves idle passes to its rings, and where it catches them up. See switch_chassis.hpp.
#include "models/switch/switch_pipe.hpp"

namespace racksim::models {

// An idle ring knows no egress that does anything, and no slots that are further apart than packets can be on its wire.
void SwitchChassis::use_rings() {
  for (auto& pipe : pipes_) {
    const auto shortest =
        outgoing_[recirculation_port(pipe->number)]->serialisation(p4::kMinFrameBytes + p4::kPreambleAndGapBytes);
    pipe->has_idle_passes = options_.skip_idle_passes && options_.passes == PassMode::fused &&
                            pipe->pipeline->egress_does_nothing() && cycle_ <= shortest;
    pipe->ring->use(*pipe->pipeline, ingress_latency_ + options_.traffic_manager_latency, egress_latency_);
  }
}

bool SwitchChassis::may_skip() const {
  return off_from_ == sim::Time::max() && !(watcher_ && watcher_->sees_idle_passes()) && !context_.packet_observer;
}

// The pass of a packet that came by a recirculation port: does it change anything beside instants and counters?
p4::Verdict SwitchChassis::run_noting(Pipe& pipe, const Entry& entry) {
  const auto before = context_.packets.clone_headers(*entry.packet);
  const auto writes = pipe.writes;
  notes_ = {};
  const auto verdict = pipe.pipeline->run_ingress(*entry.packet, entry.metadata, notes_);
  p4::Verdict again;
  again.ucast_port = entry.metadata.port;
  pass_was_idle_ = verdict == again && pipe.writes == writes && notes_.complete() && may_skip() &&
                   entry.packet->same_headers(*before);
  return verdict;
}

// Makes the idle passes that come before the present event. A packet that must wait for a slot then does so.
void SwitchChassis::catch_up(Pipe& pipe) {
  const std::uint64_t passes = pipe.ring->catch_up(pipe.next_slot);
  passes_.value += passes;
  recirculations_.value += passes;
  pipe.pipeline->count_passes(passes);
  while (p4::PacketRef packet = pipe.ring->take_waiting()) {
    const auto port = recirculation_port(pipe.number);
    pipe.waiting.push({std::move(packet), {.port = static_cast<std::uint16_t>(port), .may_resubmit = false}});
    ++inside_;
    ++circulating_;
    context_.calendar.at<&SwitchChassis::slot>(pipe.next_slot, pipe.slot_lane, *this, &pipe);
    pipe.next_slot += cycle_;
  }
}

void SwitchChassis::surface() {
  for (auto& pipe : pipes_) {
    if (pipe->ring->empty()) continue;
    catch_up(*pipe);
    pipe->ring->surface_all();
  }
}

void SwitchChassis::settle() {
  for (auto& pipe : pipes_) {
    if (pipe->ring->empty()) continue;
    catch_up(*pipe);
    pipe->ring->count_lookups();
  }
  finish_stepped();
}

const TrafficManager& SwitchChassis::traffic_manager() {
  settle();
  surface();
  return traffic_manager_;
}

std::uint64_t SwitchChassis::events_skipped() const {
  std::uint64_t events = 0;
  for (const auto& pipe : pipes_) events += pipe->ring->events();
  return events;
}

}  // namespace racksim::models
