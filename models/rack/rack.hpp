// A whole rack: servers with cores and a NIC, their wires, and the switch, built from options in a fixed order; or
// several racks, whose switches a spine joins (topology_options.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "models/host/core.hpp"
#include "models/nic/nic.hpp"
#include "models/packets/addressing.hpp"
#include "models/packets/rack_context.hpp"
#include "models/rack/rack_options.hpp"
#include "models/rack/topology.hpp"
#include "models/wire/wire.hpp"
#include "p4model/language/forward.hpp"
#include "sim/kernel/clock.hpp"
#include "sim/record/wait.hpp"

namespace racksim::models {

class ControlCpu;
class SwitchChassis;
struct NetworkSwitch;

/// A server: cores, numbered from 0, a NIC, and a clock that its timers run on.
class Server {
 public:
  Server(RackContext& context, NicCounters& counters, NodeId node, const RackOptions& options);

  NodeId node() const { return nic_.node(); }
  Nic& nic() { return nic_; }
  /// Throws std::out_of_range, naming the server, when it has no such core.
  Core& core(std::size_t number);
  /// The same for whoever it is there for, as metrics have it: "home_agent" (Core::set_role).
  Core& core(std::size_t number, std::string_view role) {
    core(number).set_role(role);
    return core(number);
  }
  std::size_t cores() const { return cores_.size(); }
  sim::Clock& clock() { return clock_; }

  bool is_on() const { return crashes_ == 0; }
  /// Whether messages of the management network reach it (membership/membership.hpp).
  bool has_management_link() const { return link_failures_ == 0; }
  void lose_management_link() { ++link_failures_; }
  void regain_management_link() { --link_failures_; }
  /// How often the server has been started again.
  std::uint32_t incarnation() const { return incarnation_; }

 private:
  friend class Rack;
  std::uint32_t crashes_ = 0;  // without a restart yet
  std::uint32_t link_failures_ = 0;
  std::uint32_t incarnation_ = 0;
  std::vector<std::unique_ptr<Core>> cores_;
  Nic nic_;
  sim::Clock clock_;
};

/// Told of crashes, so that what ran on the server dies with it (its tasks, timers and memory), and of restarts.
class CrashObserver {
 public:
  /// The server is about to stop: for whoever has to know what is lost with its memory.
  virtual void node_fails(NodeId node) { static_cast<void>(node); }
  /// The server has just stopped: its cores have forgotten their work and its NIC is off. Called in an event of its
  /// own.
  virtual void node_crashed(NodeId node) = 0;
  /// The server's hardware works again, as another incarnation. Called in an event of its own.
  virtual void node_restarted(NodeId node) { static_cast<void>(node); }

 protected:
  ~CrashObserver() = default;
};

/// Told when a switch has booted after a loss of power.
class BootObserver {
 public:
  /// The switch has its program and plain routes; registers, other tables and multicast groups are empty. Called in
  /// the event of the boot, before any packet.
  virtual void switch_booted() = 0;

 protected:
  ~BootObserver() = default;
};

/// A link between two switches: "tor1-spine.0", the first of those that these two have.
struct Trunk {
  std::string name;
  std::string below, above;    ///< names of the switches at its ends, the spine above
  std::unique_ptr<Wire> up;    ///< to the spine
  std::unique_ptr<Wire> down;  ///< from it
};

/// What works on switches includes switch_chassis.hpp or control_cpu.hpp, and their programs, itself.
class Rack {
 public:
  /// Builds the rack and loads plain L2/L3 forwarding into all switches. Throws sim::OptionError when a switch has not
  /// enough ports for its servers.
  Rack(sim::Calendar& calendar, sim::EventLog& event_log, sim::Metrics& metrics, const RackOptions& options,
       std::uint64_t seed);
  ~Rack();
  Rack(const Rack&) = delete;
  Rack& operator=(const Rack&) = delete;

  const RackOptions& options() const { return options_; }
  const Topology& topology() const { return topology_; }
  RackContext& context() { return context_; }
  sim::Calendar& calendar() { return context_.calendar; }
  sim::EventLog& event_log() { return context_.event_log; }
  sim::Metrics& metrics() { return context_.metrics; }
  p4::PacketPool& packets() { return packets_; }
  std::uint64_t seed() const { return context_.seed; }
  std::size_t nodes() const { return servers_.size(); }
  Server& server(NodeId node) { return *servers_.at(node); }
  /// The switch of a rack that has one, and its control CPU. Throw std::logic_error if there are several.
  SwitchChassis& chassis();
  ControlCpu& control_cpu();
  /// Switches are numbered from 0: those of the racks in their order, then the spine.
  unsigned switches() const { return static_cast<unsigned>(switches_.size()); }
  SwitchChassis& chassis(unsigned network_switch);
  const SwitchChassis& chassis(unsigned network_switch) const;
  ControlCpu& control_cpu(unsigned network_switch);
  /// The switch that a server is plugged into.
  unsigned switch_of(NodeId node) const { return switch_at(topology_.switch_port_of(node).device); }
  PacketAccounting& accounting() { return accounting_; }
  /// The port of its switch that a server is plugged into.
  unsigned port_of(NodeId node) const { return topology_.switch_port_of(node).number; }
  /// The port by which a switch sends on what is for a server, of packets in one of its pipes.
  unsigned port_towards(unsigned network_switch, unsigned pipe, NodeId node) const;
  /// The wires of a server: to the switch and from it.
  Wire& uplink(NodeId node) { return *wires_.at(node * 2u); }
  Wire& downlink(NodeId node) { return *wires_.at(node * 2u + 1); }
  /// The links between switches.
  const std::vector<Trunk>& trunks() const { return trunks_; }

  /// Adds an observer of crashes and restarts, called after those added before it.
  void observe_crashes(CrashObserver& observer) { crash_observers_.push_back(&observer); }
  /// Adds an observer of one switch's boots.
  void observe_boots(BootObserver& observer, unsigned network_switch = 0) {
    boot_observers_.push_back({&observer, network_switch});
  }
  /// A crash: all cores of the server forget their work, its NIC is off. For events of their own, never for a task.
  void crash(NodeId node);
  /// Starts the server again, as another incarnation, once each crash has been followed by a restart. Its hardware
  /// works again; what runs on it is up to the observers.
  void restart(NodeId node);
  /// Boots a switch after a loss of power (switch_chassis.hpp) with its program and plain routes.
  void restart_switch(sim::Time lost_power_at, unsigned network_switch = 0);

  /// Loads a program into a switch. If it embeds plain forwarding (p4::append_forwarding), the routes to all servers
  /// are filled into its tables, in each pipe those for packets in it; all else is up to the caller. Throws
  /// std::logic_error if it is not plain forwarding alone and servers have joined a multicast group.
  void install_program(std::shared_ptr<const p4::Program> program, unsigned network_switch = 0);

  /// Makes a server a member of a multicast group, or ends its membership: from now on the switch sends a copy of each
  /// packet for the group to every member but its sender, for none goes out by the port by which it came
  /// (docs/hardware.md 7.4). Memberships outlast a restart of the switch.
  /// Throws std::logic_error if the switch's program is not plain forwarding alone, whose groups these are, and if
  /// there are several switches.
  void join(std::uint16_t group, NodeId node);
  void leave(std::uint16_t group, NodeId node);

  /// A packet with Ethernet, IPv4 and UDP headers for a server. Push further headers, then set `payload_bytes`.
  p4::PacketRef make_packet(NodeId to, std::uint16_t source_port, std::uint16_t destination_port);

  /// Adds what cores have still to do, and what queue pairs wait for.
  void add_waits(std::vector<sim::Wait>& waits) const;

  /// Packets in wires, NICs, switches and their control CPUs, counted where they are.
  std::uint64_t packets_in_flight() const;
  /// Those of them that circulate in a switch (SwitchChassis::packets_circulating).
  std::uint64_t packets_circulating() const;
  /// Brings all switches to where fused passes leave them at the present event (SwitchChassis::settle).
  void settle();

 private:
  NetworkSwitch& only_switch();
  unsigned switch_at(Topology::Vertex vertex) const;
  void make_switches();
  void plug_servers();
  void plug_trunks();
  /// What every wire of the rack has.
  void set_up_wire(Wire& wire) const;
  void find_routes();
  void fill_routes(NetworkSwitch& network_switch);
  void route_to_group(std::uint16_t group);
  void set_copies(std::uint16_t group);
  void exclude_senders();

  RackOptions options_;
  p4::PacketPool packets_;
  PacketAccounting accounting_;
  RackContext context_;
  NicCounters nic_counters_;
  Topology topology_;
  std::vector<std::unique_ptr<Server>> servers_;
  std::vector<std::unique_ptr<NetworkSwitch>> switches_;
  std::vector<std::unique_ptr<Wire>> wires_;  // of servers: up, down
  std::vector<Trunk> trunks_;
  std::map<std::uint16_t, std::set<NodeId>> groups_;
  std::vector<CrashObserver*> crash_observers_;
  struct ObservedSwitch {
    BootObserver* observer;
    unsigned network_switch;
  };
  std::vector<ObservedSwitch> boot_observers_;
};

}  // namespace racksim::models
