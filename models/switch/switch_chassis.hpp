// The switch around its pipelines: the parts that it is made of, wired to each other.
//
// Time of a packet: it arrives at a port (its last bit: store and forward), takes the next free slot of its pipe, and
// its ingress pass runs at that slot. All that follows is computed then, for the instants at which it happens.
//
//   port --slot--> parser, 12 stages, deparser --> traffic manager --> parser, stages, deparser --> wire
//        (switch_pipe.hpp)                         (switch_egress.hpp)                (switch_ports.hpp)
//
// A recirculation port's wire ends at the pipe's own slots, after its serialisation and its latency. A packet on it has
// left its queue, and occupies no cell of the buffer. Constants are those of docs/hardware.md 6 and 7.5.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/packets/rack_context.hpp"
#include "models/switch/packet_generator.hpp"
#include "models/switch/pass_observer.hpp"
#include "models/switch/pipe_state.hpp"
#include "models/switch/slot_access.hpp"
#include "models/switch/stepped_passes.hpp"
#include "models/switch/switch_counters.hpp"
#include "models/switch/switch_egress.hpp"
#include "models/switch/switch_name.hpp"
#include "models/switch/switch_options.hpp"
#include "models/switch/switch_parts.hpp"
#include "models/switch/switch_pipe.hpp"
#include "models/switch/switch_ports.hpp"
#include "models/switch/switch_power.hpp"
#include "models/switch/switch_timing.hpp"
#include "models/wire/wire.hpp"
#include "p4model/execute/pipeline.hpp"
#include "p4model/execute/replication.hpp"

namespace racksim::models {

class IdlePasses;

class SwitchChassis : public PacketSink {
 public:
  SwitchChassis(RackContext& context, const SwitchOptions& options, SwitchName name = {});
  ~SwitchChassis() override;
  SwitchChassis(const SwitchChassis&) = delete;
  SwitchChassis& operator=(const SwitchChassis&) = delete;

  /// Which switch of the rack it is.
  const std::string& name() const { return name_.text; }
  unsigned number() const { return name_.number; }

  /// Plugs in the wire that leaves at a port. The one that comes in is made with this chassis and the port as its end.
  /// Both tell it when they go down.
  void plug(unsigned port, Wire& outgoing) {
    ports_.plug(port, outgoing);
    outgoing.tell_sender(*this, port);
  }

  /// Loads a program into every pipe, each with state of its own. Throws std::logic_error while packets are inside, and
  /// what p4::Pipeline throws when the program is wrong or does not fit.
  void load(std::shared_ptr<const p4::Program> program);

  unsigned pipes() const { return ports_.pipes(); }
  unsigned pipe_of(unsigned port) const { return ports_.pipe_of(port); }
  /// The port through which a pipe recirculates; packets that come in by it cannot be resubmitted.
  unsigned recirculation_port(unsigned pipe) const { return ports_.recirculation_port(pipe); }
  const Wire& recirculation_wire(unsigned pipe) const { return ports_.loopback(pipe); }
  /// The port behind which the control CPU's packets come and go, in the first pipe.
  unsigned cpu_port() const { return ports_.cpu_port(); }
  /// A pipe's pipeline, for setting up and for looking at it outside the run; during the run use the control CPU.
  p4::Pipeline& pipeline(unsigned pipe) { return pipes_.at(pipe)->state().pipeline(); }
  p4::ReplicationEngine& replication() { return egress_.replication(); }
  p4::MirrorSessions& mirror_sessions() { return egress_.mirror_sessions(); }
  /// Starts an application of the packet generator (packet_generator.hpp).
  void start_generator(const GeneratorApp& app);
  /// Has the control plane told of digests (digest_channel.hpp).
  void listen_to_digests(DigestListener& listener) { digests_.listen(listener); }
  const SwitchOptions& options() const { return options_; }
  /// Brings everything in the switch to where a fused pass leaves it at the present event: counts and queues know the
  /// idle passes before it, and stepped passes that have begun are finished. What is then seen from outside (packets,
  /// cells, counters, registers, the event log) is the same in all modes, at the end of a run or within it.
  void settle();
  /// Queues and buffer, settled.
  const TrafficManager& traffic_manager();
  /// For what says how busy the parts of a switch are (models/usage).
  SwitchPipe& pipe(unsigned pipe) { return *pipes_.at(pipe); }
  SwitchEgress& egress() { return egress_; }
  /// Calendar events that were saved by not running idle passes, once settled.
  std::uint64_t events_skipped() const;

  /// Has an observer told of ingress passes in fused mode, after those that were added before it; it must outlive the
  /// run.
  void add_pass_observer(PassObserver& observer);

  void receive(p4::PacketRef&& packet, unsigned port) override;
  /// A front port is down while one of its two wires is, and the packet generator is told when it goes down.
  void carrier_changed(unsigned port, bool up) override;

  /// Takes the next free slot of a pipe for an access, which must live until it is executed.
  void access(unsigned pipe, SlotAccess& access);
  /// The nominal instant, relative to its slot, of a stage.
  sim::Duration stage_offset(p4::Gress gress, int stage) const { return timing_.stage_offset(gress, stage); }
  /// From a slot to the traffic manager without queueing, and from a queue to the wire.
  sim::Duration ingress_latency() const { return timing_.ingress_latency(); }
  sim::Duration egress_latency() const { return timing_.egress_latency(); }
  sim::Duration cycle() const { return timing_.cycle(); }

  /// A loss of power (switch_power.hpp). At its instant power_off is called, and at least shortest_off() later power_on
  /// with the same `from`.
  void announce_power_loss(sim::Time from);
  /// Takes an announced loss back, long before its instant.
  void withdraw_power_loss(sim::Time from) { power_.withdraw(from); }
  void power_off();
  /// Boots the switch, unless another loss lasts: registers are 0, tables, multicast groups, queues and buffer empty.
  /// Then `configure` is called to fill what a boot fills, and accesses of the control plane that came meanwhile run.
  void power_on(sim::Time from, const std::function<void()>& configure);
  /// Whether it is without power now: all its links are down.
  bool is_off() const { return context_.calendar.now() >= power_.off_from(); }
  /// How often the switch has booted, the first time included.
  std::uint32_t boots() const { return power_.boots(); }
  /// Cuts a pipe's recirculation port, or a pipe with all its ports, on the spot: what is on the wires that leave by
  /// them is lost, and what comes by them. Each works when every call with false has been followed by one with true.
  void set_recirculation_up(unsigned pipe, bool up);
  void set_pipe_up(unsigned pipe, bool up);
  /// Has resubmitted packets of a pipe wait for a random time up to `most`, so that they lose their order; zero: as
  /// they come, in which no source says that Tofino keeps them but programs may count on it.
  void shuffle_resubmits(unsigned pipe, sim::Duration most);
  /// Longer than any pass under way takes to end: state is lost when all of them have.
  sim::Duration shortest_off() const { return ingress_latency() + egress_latency() + cycle(); }

  /// Packets inside the switch, its recirculation wires included.
  std::uint64_t packets_held() const;
  /// Those of them that wait for their egress to a recirculation port, or have been sent to one and have not ended the
  /// ingress pass after it. Without registers in egress the wait is computed ahead and counts as the sending.
  std::uint64_t packets_circulating() const;
  /// Cells of the shared buffer, and of all its queues together, where each copy of a packet counts: those in use at
  /// the present instant, and those of the packets that are there. A packet whose idle passes are not run has its cells
  /// all the time. Looking changes nothing.
  sim::CellBalance buffer_balance() const;
  sim::CellBalance queue_balance() const;

  /// Records a change of a pipe's state in the event log.
  void record_state(unsigned pipe, const PipeState::Change& change) const { pipes_[pipe]->state().record(change); }

 private:
  /// The event log's sources of parts that have one each. They come before those of the pipes: sources are numbered in
  /// the order in which they are made, and their numbers are part of the run hash.
  struct Sources {
    Sources(sim::EventLog& event_log, const SwitchName& name)
        : traffic_manager(event_log.add_source(name.text + "/traffic_manager")),
          power(event_log.add_source(name.text + "/power")) {}
    sim::Source traffic_manager, power;
  };

  void boot();

  RackContext& context_;
  SwitchOptions options_;
  SwitchName name_;
  Sources sources_;
  SwitchCounters counters_;
  std::shared_ptr<const p4::LoadedProgram> program_;
  PassObservers observers_;
  SwitchTiming timing_;
  SwitchPorts ports_;
  std::vector<unsigned> wires_down_;  // by front port
  SwitchPower power_;
  SteppedPasses stepped_;
  DigestChannel digests_;
  PacketGenerator generator_;
  SwitchParts parts_;
  SwitchEgress egress_;
  std::vector<std::unique_ptr<SwitchPipe>> pipes_;
  std::unique_ptr<IdlePasses> idle_;
};

}  // namespace racksim::models
