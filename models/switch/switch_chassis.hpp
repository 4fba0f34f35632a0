// The switch around its pipelines: ports, slots of the ingress, traffic manager, replication, egress, recirculation.
//
// Time of a packet: it arrives at a port (its last bit: store and forward), takes the next free slot of its pipe (one a
// clock cycle, in the order of arrival), and its ingress pass runs at that slot. All that follows is computed then, for
// the instants at which it happens: traffic manager, queue, egress pass, and the wire.
//
//   slot --parser, 12 stages, deparser--> traffic manager --PRE, queue--> egress parser, stages, deparser --> wire
//
// A recirculation port's wire is a loopback: it ends at the pipe's own slots, after its serialisation and its latency.
// A packet on it has left its queue, and occupies no cell of the buffer.
//
// Why computing ahead is exact: all pipes run the same program, so the instants at which packets reach the traffic
// manager have the order of their slots; queues, buffer and wires depend on nothing else. An egress pass without
// registers depends on the packet and the tables alone, and control-plane writes take a slot too: an egress pass sees
// the tables as they were at its packet's ingress slot. An egress pass that touches registers is an event of its own,
// when the packet leaves its queue, because copies for different ports leave in another order than they came.
//
// Known simplifications: a pipe's egress starts any number of passes a cycle (ingress, at one a cycle, limits what
// reaches it); a queue takes packets in the order of their ingress slots, so a unicast packet does not slip between the
// copies of the multicast packet before it.
//
// A stepped pass (PassMode::stepped) acts on each stage at the stage's instant, and ends in what a fused one computes
// in its slot. Whoever looks at the switch while passes are under way has them finished first (settle), and so sees the
// same in both modes.
//
// Passes that change nothing and send their packet round again need not be run (SwitchOptions::skip_idle_passes): the
// pipe's idle ring has the packets then, and is caught up wherever the chassis is about to use what these passes move.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "models/host/short_queue.hpp"
#include "models/packets/rack_context.hpp"
#include "models/switch/idle_ring.hpp"
#include "models/switch/switch_options.hpp"
#include "models/switch/traffic_manager.hpp"
#include "models/wire/wire.hpp"
#include "p4model/execute/pipeline.hpp"
#include "p4model/execute/replication.hpp"

namespace racksim::models {

/// An access of the control plane to a pipe's state, executed in a slot of the pipe. See control_cpu.hpp.
class SlotAccess {
 public:
  virtual ~SlotAccess() = default;
  /// The gress and stage whose state it touches.
  virtual p4::Gress gress() const = 0;
  virtual int stage() const = 0;
  /// Acts on the pipe's state; a nominal instant for the record.
  virtual void execute(p4::Pipeline& pipeline, sim::Time at) = 0;
};

/// Sees the ingress passes of packets, from outside and without acting on them. In fused mode only: stepped passes
/// overlap.
class PassWatcher {
 public:
  virtual ~PassWatcher() = default;
  virtual void before_ingress(const p4::Packet& packet, const p4::IngressMetadata& metadata) = 0;
  virtual void after_ingress(const p4::Packet& packet, const p4::IngressMetadata& metadata,
                             const p4::Verdict& verdict) = 0;
  /// Whether idle passes are run for this watcher's sake. One that says no is told of the first of a row of them: the
  /// others meet the same headers and the same state (StarCache's cache packets go round millions of times).
  virtual bool sees_idle_passes() const { return true; }
};

class SwitchChassis : public PacketSink, private UnseenPackets {
 public:
  SwitchChassis(RackContext& context, const SwitchOptions& options);
  ~SwitchChassis() override;
  SwitchChassis(const SwitchChassis&) = delete;
  SwitchChassis& operator=(const SwitchChassis&) = delete;

  /// Plugs in the wire that leaves at a port. The one that comes in is made with this chassis and the port as its end.
  void plug(unsigned port, Wire& outgoing);

  /// Loads a program into every pipe, each with state of its own. Throws std::logic_error while packets are inside, and
  /// what p4::Pipeline throws when the program is wrong or does not fit.
  void load(std::shared_ptr<const p4::Program> program);

  unsigned pipes() const { return static_cast<unsigned>(pipes_.size()); }
  unsigned pipe_of(unsigned port) const;
  /// The port through which a pipe recirculates; packets that come in by it cannot be resubmitted.
  unsigned recirculation_port(unsigned pipe) const { return static_cast<unsigned>(options_.ports) + pipe; }
  /// The port behind which the control CPU's packets come and go, in the first pipe (models/hardware.md 6.1).
  unsigned cpu_port() const { return static_cast<unsigned>(options_.ports) + pipes(); }
  /// A pipe's pipeline, for setting up and for looking at it outside the run; during the run use the control CPU.
  p4::Pipeline& pipeline(unsigned pipe);
  p4::ReplicationEngine& replication() { return replication_; }
  const SwitchOptions& options() const { return options_; }
  /// Brings everything in the switch to where a fused pass leaves it at the present event: counts and queues know the
  /// idle passes before it, and stepped passes that have begun are finished. What is then seen from outside (packets,
  /// cells, counters, registers, the journal) is the same in all modes, at the end of a run or within it. Nothing that
  /// happens later changes by it: no pass overtakes another, so one that has begun can be computed to its end.
  void settle();
  /// Queues and buffer, settled.
  const TrafficManager& traffic_manager();
  /// Calendar events that were saved by not running idle passes, once settled.
  std::uint64_t events_skipped() const;

  /// Has a watcher told of ingress passes in fused mode; it must outlive the run.
  void watch(PassWatcher& watcher) {
    surface();
    watcher_ = &watcher;
  }

  void receive(p4::PacketRef&& packet, unsigned port) override;

  /// Takes the next free slot of a pipe for an access, which must live until it is executed.
  void access(unsigned pipe, SlotAccess& access);
  /// The nominal instant, relative to its slot, of a stage.
  sim::Duration stage_offset(p4::Gress gress, int stage) const;
  /// From a slot to the traffic manager without queueing, and from a queue to the wire.
  sim::Duration ingress_latency() const { return ingress_latency_; }
  sim::Duration egress_latency() const { return egress_latency_; }
  sim::Duration cycle() const { return cycle_; }

  /// A loss of power. What is inside at `from` is lost unless its first bit leaves by then, and so is what arrives
  /// until power_on. Since packets are computed ahead of their departure, a loss is announced when the run begins; at
  /// its instant power_off is called, and at least shortest_off() later power_on with the same `from`. Losses may
  /// overlap.
  void announce_power_loss(sim::Time from);
  /// Takes an announced loss back, long before its instant.
  void withdraw_power_loss(sim::Time from);
  void power_off();
  /// Boots the switch, unless another loss lasts: registers are 0, tables, multicast groups, queues and buffer empty.
  /// Then `configure` is called to fill what a boot fills, and accesses of the control plane that came meanwhile run.
  void power_on(sim::Time from, const std::function<void()>& configure);
  /// How often the switch has booted, the first time included.
  std::uint32_t boots() const { return boots_; }
  /// Longer than any pass under way takes to end: state is lost when all of them have.
  sim::Duration shortest_off() const { return ingress_latency_ + egress_latency_ + cycle_; }

  /// Packets inside the switch, its recirculation wires included.
  std::uint64_t packets_held() const;
  /// Those of them that wait for their egress to a recirculation port, or have been sent to one and have not ended the
  /// ingress pass after it. Without registers in egress the wait is computed ahead and counts as the sending.
  std::uint64_t packets_circulating() const;
  /// Cells of the shared buffer, and of all its queues together, where each copy of a packet counts: those in use at
  /// the present instant, and those of the packets that are there. A packet that circulates in an idle ring has its
  /// cells all the time. Looking changes nothing.
  sim::CellBalance buffer_balance() const;
  sim::CellBalance queue_balance() const;

  /// Records a change of switch state in the journal: `object` in the upper half of the first detail says which array
  /// (or, from 2^31 on, table), its lower half the index.
  void record_state(unsigned pipe, p4::Gress gress, int stage, sim::Time at, std::uint64_t operation,
                    std::uint64_t object_and_index, std::uint64_t value, std::uint64_t packet_serial);

 private:
  struct Entry {
    p4::PacketRef packet;
    p4::IngressMetadata metadata;
    SlotAccess* access = nullptr;  ///< instead of a packet
  };
  struct Pipe;
  struct SteppedPass;
  struct Leaving {
    p4::Copy copy;
    sim::Time dequeued;
  };

  sim::Duration cycles(std::uint64_t n) const;
  void boot();
  void use_rings();
  void plan_power_losses();
  void refuse(Pipe& pipe, Entry&& entry);
  std::uint64_t cells_in_rings() const;
  bool recirculates(unsigned port) const { return port >= options_.ports && port != cpu_port(); }
  /// Takes a packet out of the counts that it entered when it came by this port, or began to wait for its egress there.
  void no_longer_inside(unsigned port);
  void enter(Pipe& pipe, Entry&& entry);
  void slot(Pipe* pipe);
  void execute(Pipe& pipe, Entry&& entry);
  void execute_access(Pipe& pipe, SlotAccess& access);
  void ingress_pass(Pipe& pipe, Entry&& entry);
  void catch_up(Pipe& pipe);
  void surface() override;
  bool may_skip() const;
  p4::Verdict run_noting(Pipe& pipe, const Entry& entry);
  /// The event of a stepped pass's next stage.
  void step(SteppedPass* pass);
  void step_at(SteppedPass* pass, sim::Time when);
  void finish_stepped();
  void ingress_stage(SteppedPass* pass);
  void egress_stage(SteppedPass* pass);
  void access_stage(SteppedPass* pass);
  void after_ingress(Pipe& pipe, Entry&& entry, const p4::Verdict& verdict, sim::Time slot);
  void resubmitted(Pipe* pipe);
  /// Offers a copy that is ready at `ready` to its port's queue. Returns the instant when it leaves the queue, or
  /// nothing when it has been dropped.
  std::optional<sim::Time> enqueue(const p4::Copy& copy, sim::Time ready, const p4::Packet& packet);
  /// Takes a copy that leaves its queue at `dequeued` through egress.
  void dequeue(p4::PacketRef&& packet, const p4::Copy& copy, sim::Time dequeued);
  void to_traffic_manager(Pipe& pipe, p4::PacketRef&& packet, const p4::Verdict& verdict, sim::Time when);
  void egress(p4::Packet* packet, p4::Copy copy);
  void after_egress(p4::PacketRef&& packet, unsigned port, bool kept, sim::Time dequeued);
  SteppedPass* take_stepped(Pipe& pipe);
  void give_back(SteppedPass* pass);

  RackContext& context_;
  SwitchOptions options_;
  sim::Lane stage_lane_;
  sim::Source traffic_manager_source_, power_source_;
  std::shared_ptr<const p4::Program> program_;
  TrafficManager traffic_manager_;
  p4::ReplicationEngine replication_;
  std::vector<std::unique_ptr<Pipe>> pipes_;
  std::vector<Pipe*> pipe_at_;                         // by port likewise: pipe_of costs a division
  std::vector<Wire*> outgoing_;                        // by port: front, recirculation, control CPU
  std::vector<std::unique_ptr<Wire>> recirculation_;   // by pipe
  std::vector<std::unique_ptr<SteppedPass>> stepped_;  // all, in use or not
  std::vector<SteppedPass*> stepped_free_;
  std::uint64_t stepped_turns_ = 0;
  std::vector<p4::Copy> copies_;  // of the packet at the traffic manager
  std::vector<Leaving> leaving_;  // those that were taken
  std::array<std::vector<sim::Duration>, 2> stage_offsets_;
  sim::Duration cycle_, copy_gap_, ingress_latency_, egress_latency_;
  std::vector<sim::Time> power_losses_;    // announced and not over: their beginnings
  sim::Time off_from_ = sim::Time::max();  // the earliest of them
  std::vector<std::pair<Pipe*, SlotAccess*>> held_accesses_;
  std::uint32_t boots_ = 0;
  PassWatcher* watcher_ = nullptr;
  p4::PassNotes notes_;         // of the pass of a packet that came by a recirculation port
  bool pass_was_idle_ = false;  // until its packet has left for the wire
  bool egress_has_registers_ = false;
  bool egress_changes_headers_ = false;
  std::uint64_t circulating_ = 0;  // those counted in inside_ that came by a recirculation port or go to one
  std::uint64_t inside_ = 0;  // packets that wait for a slot, a second pass or their egress, or are in a stepped pass
  sim::Counter &packets_in_, &packets_out_, &passes_, &resubmits_, &recirculations_, &recirculation_drops_,
      &copies_made_, &control_slots_;
};

}  // namespace racksim::models
