// Slots, passes and queues of the switch. See switch_chassis.hpp.
#include "models/switch/switch_chassis.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "models/switch/switch_pipe.hpp"
#include "p4model/fit/dependency_graph.hpp"

namespace racksim::models {

SwitchChassis::SwitchChassis(RackContext& context, const SwitchOptions& options)
    : context_(context),
      options_(options),
      stage_lane_(context.calendar.add_lane("switch/stages")),
      traffic_manager_source_(context.journal.add_source("switch/traffic_manager")),
      power_source_(context.journal.add_source("switch/power")),
      traffic_manager_(options,
                       options.ports + (options.ports + options.ports_per_pipe - 1) / options.ports_per_pipe + 1),
      cycle_(cycles(1)),
      copy_gap_(cycles(options.copy_cycles)),
      packets_in_(context.metrics.counter("switch.packets_in", "packets", "Packets that arrived at front ports.")),
      packets_out_(context.metrics.counter("switch.packets_out", "packets", "Packets that left by front ports.")),
      passes_(context.metrics.counter("switch.ingress_passes", "passes", "Ingress passes, second ones included.")),
      resubmits_(context.metrics.counter("switch.resubmits", "packets", "Packets sent through ingress again.")),
      recirculations_(context.metrics.counter("switch.recirculations", "packets", "Packets sent to recirculation.")),
      recirculation_drops_(context.metrics.counter(
          "switch.recirculation_drops", "packets",
          "Packets and copies for which a recirculation port's queue or the buffer had no room; "
          "packets.dropped.tail_drop counts them too.")),
      copies_made_(context.metrics.counter("switch.multicast_copies", "packets", "Copies made by the PRE.")),
      control_slots_(context.metrics.counter("switch.control_slots", "operations",
                                             "Register and table operations of the control CPU.")) {
  const auto pipe_count = (options.ports + options.ports_per_pipe - 1) / options.ports_per_pipe;
  outgoing_.resize(options.ports);
  for (unsigned i = 0; i < pipe_count; ++i) {
    auto& pipe = *pipes_.emplace_back(std::make_unique<Pipe>(*this, i));
    for (const auto gress : {p4::Gress::ingress, p4::Gress::egress}) {
      for (std::uint64_t stage = 0; stage < options.pipe.stages; ++stage) {
        pipe.stage_sources[static_cast<std::size_t>(gress)].push_back(
            context.journal.add_source(fmt::format("switch/pipe{}/{}/stage{}", i, p4::name_of(gress), stage)));
      }
    }
    recirculation_.push_back(std::make_unique<Wire>(context, fmt::format("switch-recirculation{}", i),
                                                    options.recirculation_bits_per_second,
                                                    options.recirculation_latency, *this, recirculation_port(i)));
    outgoing_.push_back(recirculation_.back().get());
    pipe.ring.emplace(context.calendar,
                      IdleRing::Path{*recirculation_.back(), options.recirculation_latency, traffic_manager_,
                                     recirculation_port(i), pipe.slot_lane, cycle_});
  }
  outgoing_.push_back(nullptr);  // until the control CPU is plugged in
  for (unsigned port = 0; port < outgoing_.size(); ++port) pipe_at_.push_back(pipes_[pipe_of(port)].get());
}

SwitchChassis::~SwitchChassis() = default;

sim::Duration SwitchChassis::cycles(std::uint64_t n) const {
  return sim::transmission_time(static_cast<std::int64_t>(n), static_cast<std::int64_t>(options_.clock_hz));
}

void SwitchChassis::plug(unsigned port, Wire& outgoing) {
  if (port >= options_.ports && port != cpu_port()) {
    throw std::runtime_error(fmt::format("the switch has no port {}: it has {}", port, options_.ports));
  }
  outgoing_[port] = &outgoing;
}

unsigned SwitchChassis::pipe_of(unsigned port) const {
  if (port == cpu_port()) return 0;
  if (port >= options_.ports) return port - static_cast<unsigned>(options_.ports);
  return port / static_cast<unsigned>(options_.ports_per_pipe);
}

void SwitchChassis::load(std::shared_ptr<const p4::Program> program) {
  if (packets_held() != 0) throw std::logic_error("a program cannot be loaded while packets are in the switch");
  program_ = std::move(program);
  boot();
  const auto& pipeline = *pipes_.front()->pipeline;
  for (const auto gress : {p4::Gress::ingress, p4::Gress::egress}) {
    auto& offsets = stage_offsets_[static_cast<std::size_t>(gress)];
    offsets.clear();
    std::uint64_t before = options_.pipe.turn_cycles;
    const auto parser = gress == p4::Gress::ingress ? options_.parser_latency : sim::Duration{};
    for (int stage = 0; stage < pipeline.stages(); ++stage) {
      offsets.push_back(parser + cycles(before));
      before += pipeline.latency_cycles(gress, stage);
    }
  }
  ingress_latency_ =
      options_.parser_latency + cycles(pipeline.latency_cycles(p4::Gress::ingress)) + options_.deparser_latency;
  egress_latency_ = cycles(pipeline.latency_cycles(p4::Gress::egress)) + options_.deparser_latency;
  egress_changes_headers_ = pipeline.egress_changes_headers();
  egress_has_registers_ = false;
  const auto& graph = pipeline.placement().graph();
  for (const auto node : boost::make_iterator_range(boost::vertices(graph))) {
    if (graph[node].gress == p4::Gress::egress && !graph[node].arrays.empty()) egress_has_registers_ = true;
  }
  use_rings();
}

void SwitchChassis::boot() {
  ++boots_;
  for (auto& pipe : pipes_) {
    pipe->pipeline = std::make_unique<p4::Pipeline>(program_, options_.pipe);
    pipe->pipeline->observe(pipe.get());
  }
}

p4::Pipeline& SwitchChassis::pipeline(unsigned pipe) {
  if (!pipes_.at(pipe)->pipeline) throw std::logic_error("no program is loaded into the switch");
  return *pipes_[pipe]->pipeline;
}

sim::Duration SwitchChassis::stage_offset(p4::Gress gress, int stage) const {
  return stage_offsets_[static_cast<std::size_t>(gress)].at(static_cast<std::size_t>(stage));
}

void SwitchChassis::record_state(unsigned pipe, p4::Gress gress, int stage, sim::Time at, std::uint64_t operation,
                                 std::uint64_t object_and_index, std::uint64_t value, std::uint64_t packet_serial) {
  const auto source = pipes_[pipe]->stage_sources[static_cast<std::size_t>(gress)][static_cast<std::size_t>(stage)];
  context_.journal.record(sim::Observed::switch_state, source, at, operation, object_and_index, value, packet_serial);
  if (context_.packet_observer) [[unlikely]] {
    context_.packet_observer->switch_written({pipe, at, static_cast<std::uint32_t>(object_and_index >> 32),
                                              static_cast<std::uint32_t>(object_and_index), value, packet_serial});
  }
}

void SwitchChassis::receive(p4::PacketRef&& packet, unsigned port) {
  const bool front = port < options_.ports;
  if (front) ++packets_in_.value;
  Pipe& pipe = *pipe_at_[port];
  Entry entry{std::move(packet), {.port = static_cast<std::uint16_t>(port)}};
  entry.metadata.may_resubmit = front;
  ++inside_;
  if (recirculates(port)) ++circulating_;
  enter(pipe, std::move(entry));
}

void SwitchChassis::access(unsigned pipe, SlotAccess& access) {
  ++control_slots_.value;
  enter(*pipes_.at(pipe), Entry{{}, {}, &access});
}

// Slots are given in the order of arrival. A free one is used at once; one that lies ahead is an event, so that passes
// run, and state changes, in the order of slots over all pipes.
void SwitchChassis::enter(Pipe& pipe, Entry&& entry) {
  const sim::Time now = context_.calendar.now();
  if (now >= off_from_) [[unlikely]]
    return refuse(pipe, std::move(entry));
  if (!pipe.ring->empty()) [[unlikely]]
    catch_up(pipe);
  if (pipe.next_slot <= now) {
    pipe.next_slot = now + cycle_;
    execute(pipe, std::move(entry));
    return;
  }
  pipe.waiting.push(std::move(entry));
  context_.calendar.at<&SwitchChassis::slot>(pipe.next_slot, pipe.slot_lane, *this, &pipe);
  pipe.next_slot += cycle_;
}

void SwitchChassis::slot(Pipe* pipe) {
  if (pipe->lost_slots > 0) [[unlikely]] {
    --pipe->lost_slots;
    return;
  }
  if (!pipe->ring->empty()) [[unlikely]]
    catch_up(*pipe);
  Entry entry = pipe->waiting.pop();
  execute(*pipe, std::move(entry));
}

void SwitchChassis::execute(Pipe& pipe, Entry&& entry) {
  if (entry.access) return execute_access(pipe, *entry.access);
  ingress_pass(pipe, std::move(entry));
}

// An access behaves as a packet in its slot: it meets the state of a stage after the passes before it and before those
// after it. In stepped mode it therefore happens when its slot reaches the stage, or, for an egress without registers,
// when the slot reaches the last ingress stage, where the egress of its packets is computed.
void SwitchChassis::execute_access(Pipe& pipe, SlotAccess& access) {
  if (options_.passes == PassMode::fused) {
    access.execute(pipeline(pipe.number), context_.calendar.now() + stage_offset(access.gress(), access.stage()));
    return;
  }
  const bool with_ingress = access.gress() == p4::Gress::egress && !egress_has_registers_;
  const auto offset = with_ingress ? stage_offsets_[0].back() : stage_offset(access.gress(), access.stage());
  SteppedPass* pass = take_stepped(pipe);
  pass->kind = SteppedPass::Kind::access;
  pass->entry.access = &access;
  step_at(pass, pass->start + offset);
}

void SwitchChassis::ingress_pass(Pipe& pipe, Entry&& entry) {
  ++passes_.value;
  // A sender may have kept a reference, and a copy made by multicast may come back: neither must see the changes.
  if (!entry.packet.unique()) entry.packet = context_.packets.clone_headers(*entry.packet);
  auto& pipeline = this->pipeline(pipe.number);
  const sim::Time now = context_.calendar.now();
  if (context_.packet_observer) [[unlikely]]
    context_.packet_observer->pass_begins(*entry.packet, pipe.number, now, entry.metadata.resubmitted);
  if (options_.passes == PassMode::fused) {
    pipe.write_as(p4::Gress::ingress, now, entry.packet->operation);
    if (watcher_) [[unlikely]]
      watcher_->before_ingress(*entry.packet, entry.metadata);
    const bool noting = pipe.has_idle_passes && recirculates(entry.metadata.port);
    const auto verdict = noting ? run_noting(pipe, entry) : pipeline.run_ingress(*entry.packet, entry.metadata);
    if (watcher_) [[unlikely]]
      watcher_->after_ingress(*entry.packet, entry.metadata, verdict);
    after_ingress(pipe, std::move(entry), verdict, now);
    pass_was_idle_ = false;
    return;
  }
  SteppedPass* pass = take_stepped(pipe);
  pass->kind = SteppedPass::Kind::ingress;
  pass->entry = std::move(entry);
  pipeline.begin_ingress(pass->pass, *pass->entry.packet, pass->entry.metadata);
  step_at(pass, now + stage_offsets_[0][0]);
}

void SwitchChassis::after_ingress(Pipe& pipe, Entry&& entry, const p4::Verdict& verdict, sim::Time slot) {
  const sim::Time done = slot + ingress_latency_;
  if (verdict.resubmit) {
    ++resubmits_.value;
    entry.metadata.resubmitted = true;
    entry.metadata.resubmit_data = verdict.resubmit_data;
    pipe.resubmitting.push(std::move(entry));
    context_.calendar.at<&SwitchChassis::resubmitted>(done, pipe.resubmit_lane, *this, &pipe);
    return;
  }
  no_longer_inside(entry.metadata.port);
  if (verdict.dropped()) return context_.drop(pipe.source, done, *entry.packet, DropReason::switch_program);
  to_traffic_manager(pipe, std::move(entry.packet), verdict, done + options_.traffic_manager_latency);
}

void SwitchChassis::no_longer_inside(unsigned port) {
  --inside_;
  if (recirculates(port)) --circulating_;
}

void SwitchChassis::resubmitted(Pipe* pipe) {
  Entry entry = pipe->resubmitting.pop();
  enter(*pipe, std::move(entry));
}

std::optional<sim::Time> SwitchChassis::enqueue(const p4::Copy& copy, sim::Time ready, const p4::Packet& packet) {
  Wire* wire = copy.port < outgoing_.size() ? outgoing_[copy.port] : nullptr;
  if (!wire) {
    context_.drop(traffic_manager_source_, ready, packet, DropReason::no_port);
    return std::nullopt;
  }
  // The queue's ring may be another pipe's, with passes before this one.
  if (recirculates(copy.port) && !pipe_at_[copy.port]->ring->empty()) [[unlikely]]
    catch_up(*pipe_at_[copy.port]);
  const auto dequeued =
      traffic_manager_.enqueue(copy.port, ready, packet.frame_bytes(), wire->serialisation(packet.wire_bytes()));
  if (!dequeued) {
    if (recirculates(copy.port)) ++recirculation_drops_.value;
    context_.drop(traffic_manager_source_, ready, packet, DropReason::tail_drop);
  }
  return dequeued;
}

void SwitchChassis::to_traffic_manager(Pipe& pipe, p4::PacketRef&& packet, const p4::Verdict& verdict, sim::Time when) {
  if (verdict.mcast_a == p4::Verdict::kNone && verdict.mcast_b == p4::Verdict::kNone) {
    // One copy, as nearly all packets have, needs no lists.
    const p4::Copy copy{static_cast<std::uint16_t>(verdict.ucast_port), 0};
    traffic_manager_.advance(when);
    const auto dequeued = enqueue(copy, when, *packet);
    traffic_manager_.store(packet->frame_bytes());
    if (dequeued) dequeue(std::move(packet), copy, *dequeued);
    return;
  }
  copies_.clear();
  replication_.replicate(verdict, copies_);
  if (copies_.empty()) return context_.drop(pipe.source, when, *packet, DropReason::switch_program);
  if (copies_.size() > 1) {
    context_.census.absorb();
    copies_made_.value += copies_.size();
    for (std::size_t i = 0; i < copies_.size(); ++i) context_.census.copy();
  }
  traffic_manager_.advance(when);
  sim::Time ready = when;
  leaving_.clear();
  for (const auto& copy : copies_) {
    if (const auto dequeued = enqueue(copy, ready, *packet)) leaving_.push_back({copy, *dequeued});
    ready += copy_gap_;
  }
  traffic_manager_.store(packet->frame_bytes());
  std::size_t left = leaving_.size();
  for (const auto& [copy, dequeued] : leaving_) {
    if (--left == 0) return dequeue(std::move(packet), copy, dequeued);
    dequeue(egress_changes_headers_ ? context_.packets.clone_headers(*packet) : packet.share(), copy, dequeued);
  }
}

void SwitchChassis::dequeue(p4::PacketRef&& packet, const p4::Copy& copy, sim::Time dequeued) {
  Pipe& pipe = *pipe_at_[copy.port];
  if (egress_has_registers_) {
    if (dequeued >= off_from_) [[unlikely]]
      return context_.drop(traffic_manager_source_, off_from_, *packet, DropReason::switch_off);
    ++inside_;
    if (recirculates(copy.port)) ++circulating_;
    context_.calendar.at<&SwitchChassis::egress>(dequeued, pipe.egress_lane, *this, packet.release(), copy);
    return;
  }
  const bool kept =
      pipe.pipeline->run_egress(*packet, {.port = copy.port, .rid = copy.rid, .packet_length = packet->frame_bytes()});
  after_egress(std::move(packet), copy.port, kept, dequeued);
}

void SwitchChassis::egress(p4::Packet* raw, p4::Copy copy) {
  auto packet = p4::PacketRef::adopt(raw);
  Pipe& pipe = *pipe_at_[copy.port];
  const sim::Time now = context_.calendar.now();
  const p4::EgressMetadata metadata{.port = copy.port, .rid = copy.rid, .packet_length = packet->frame_bytes()};
  if (options_.passes == PassMode::fused) {
    no_longer_inside(copy.port);
    pipe.write_as(p4::Gress::egress, now, packet->operation);
    const bool kept = pipe.pipeline->run_egress(*packet, metadata);
    after_egress(std::move(packet), copy.port, kept, now);
    return;
  }
  SteppedPass* pass = take_stepped(pipe);
  pass->kind = SteppedPass::Kind::egress;
  pass->entry.packet = std::move(packet);
  pass->copy = copy;
  pipe.pipeline->begin_egress(pass->pass, *pass->entry.packet, metadata);
  step_at(pass, now + stage_offsets_[1][0]);
}

void SwitchChassis::after_egress(p4::PacketRef&& packet, unsigned port, bool kept, sim::Time dequeued) {
  const sim::Time ready = dequeued + egress_latency_;
  if (!kept) return context_.drop(pipe_at_[port]->egress_source, ready, *packet, DropReason::switch_program);
  if (std::max(ready, outgoing_[port]->free_at()) >= off_from_) [[unlikely]] {
    return context_.drop(pipe_at_[port]->egress_source, off_from_, *packet, DropReason::switch_off);
  }
  if (port < options_.ports) ++packets_out_.value;
  if (recirculates(port)) {
    ++recirculations_.value;
    if (pass_was_idle_ && traffic_manager_.reserve(port, packet->frame_bytes(), *this)) {
      return pipe_at_[port]->ring->join(std::move(packet), notes_, ready);
    }
  }
  outgoing_[port]->transmit(std::move(packet), ready);
}

std::uint64_t SwitchChassis::packets_held() const {
  std::uint64_t held = inside_;
  for (const auto& wire : recirculation_) held += wire->in_flight();
  for (const auto& pipe : pipes_) held += pipe->ring->size();
  return held;
}

std::uint64_t SwitchChassis::packets_circulating() const {
  std::uint64_t circulating = circulating_;
  for (const auto& wire : recirculation_) circulating += wire->in_flight();
  for (const auto& pipe : pipes_) circulating += pipe->ring->size();
  return circulating;
}

std::uint64_t SwitchChassis::cells_in_rings() const {
  std::uint64_t cells = 0;
  for (const auto& pipe : pipes_) cells += pipe->ring->cells(options_.cell_bytes);
  return cells;
}

sim::CellBalance SwitchChassis::buffer_balance() const {
  auto balance = traffic_manager_.buffer_balance(context_.calendar.now());
  balance.of_packets += cells_in_rings();
  return balance;
}

sim::CellBalance SwitchChassis::queue_balance() const {
  auto balance = traffic_manager_.queue_balance(context_.calendar.now());
  balance.of_packets += cells_in_rings();
  return balance;
}

}  // namespace racksim::models
