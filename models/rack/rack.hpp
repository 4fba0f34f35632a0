// A whole rack: servers with cores and a NIC, their wires, and the switch, built from options in a fixed order.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "models/host/core.hpp"
#include "models/nic/nic.hpp"
#include "models/packets/addressing.hpp"
#include "models/packets/rack_context.hpp"
#include "models/rack/rack_options.hpp"
#include "models/rack/topology.hpp"
#include "models/switch/control_cpu.hpp"
#include "models/switch/switch_chassis.hpp"
#include "sim/kernel/clock.hpp"
#include "sim/record/wait.hpp"

namespace racksim::models {

/// A server: cores, numbered from 0, a NIC, and a clock that its timers run on.
class Server {
 public:
  Server(RackContext& context, NicCounters& counters, NodeId node, const RackOptions& options);

  NodeId node() const { return nic_.node(); }
  Nic& nic() { return nic_; }
  /// Throws std::out_of_range, naming the server, when it has no such core.
  Core& core(std::size_t number);
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

/// Told when the switch has booted after a loss of power.
class BootObserver {
 public:
  /// The switch has its program and plain routes; registers, other tables and multicast groups are empty. Called in
  /// the event of the boot, before any packet.
  virtual void switch_booted() = 0;

 protected:
  ~BootObserver() = default;
};

class Rack {
 public:
  /// Builds the rack and loads plain L2/L3 forwarding into the switch. Throws std::runtime_error when the switch has
  /// fewer ports than there are servers.
  Rack(sim::Calendar& calendar, sim::EventLog& event_log, sim::Metrics& metrics, const RackOptions& options,
       std::uint64_t seed);
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
  SwitchChassis& chassis() { return *chassis_; }
  ControlCpu& control_cpu() { return *control_cpu_; }
  PacketAccounting& accounting() { return accounting_; }
  /// The switch port that a server is plugged into.
  unsigned port_of(NodeId node) const { return ports_.at(node); }
  /// The wires of a server: to the switch and from it.
  Wire& uplink(NodeId node) { return *wires_.at(node * 2u); }
  Wire& downlink(NodeId node) { return *wires_.at(node * 2u + 1); }

  /// Adds an observer of crashes and restarts, called after those added before it.
  void observe_crashes(CrashObserver& observer) { crash_observers_.push_back(&observer); }
  void observe_boots(BootObserver& observer) { boot_observers_.push_back(&observer); }
  /// A crash: all cores of the server forget their work, its NIC is off. For events of their own, never for a task.
  void crash(NodeId node);
  /// Starts the server again, as another incarnation, once each crash has been followed by a restart. Its hardware
  /// works again; what runs on it is up to the observers.
  void restart(NodeId node);
  /// Boots the switch after a loss of power (switch_chassis.hpp) with its program and plain routes.
  void restart_switch(sim::Time lost_power_at);

  /// Loads a program into the switch. If it embeds plain forwarding (p4::append_forwarding), the routes to all servers
  /// are filled into its tables; all else is up to the caller. Throws std::logic_error if it is not plain forwarding
  /// alone and servers have joined a multicast group.
  void install_program(std::shared_ptr<const p4::Program> program);

  /// Makes a server a member of a multicast group, or ends its membership: from now on the switch sends a copy of each
  /// packet for the group to every member but its sender, for none goes out by the port by which it came
  /// (models/hardware.md 7.4). Memberships outlast a restart of the switch.
  /// Throws std::logic_error if the switch's program is not plain forwarding alone, whose groups these are.
  void join(std::uint16_t group, NodeId node);
  void leave(std::uint16_t group, NodeId node);

  /// A packet with Ethernet, IPv4 and UDP headers for a server. Push further headers, then set `payload_bytes`.
  p4::PacketRef make_packet(NodeId to, std::uint16_t source_port, std::uint16_t destination_port);

  /// Adds what cores have still to do, and what queue pairs wait for.
  void add_waits(std::vector<sim::Wait>& waits) const;

  /// Packets in wires, NICs, the switch and its control CPU, counted where they are.
  std::uint64_t packets_in_flight() const;

 private:
  void plug_servers();
  void fill_routes();
  void route_to_group(std::uint16_t group);
  void set_copies(std::uint16_t group);
  void exclude_senders();

  RackOptions options_;
  p4::PacketPool packets_;
  p4::PacketPool prototypes_;
  p4::PacketRef udp_prototype_;  // what make_packet copies
  PacketAccounting accounting_;
  RackContext context_;
  NicCounters nic_counters_;
  Topology topology_;
  std::vector<std::unique_ptr<Server>> servers_;
  std::unique_ptr<SwitchChassis> chassis_;
  std::unique_ptr<ControlCpu> control_cpu_;
  std::vector<std::unique_ptr<Wire>> wires_;
  std::vector<unsigned> ports_;
  std::map<std::uint16_t, std::set<NodeId>> groups_;
  std::vector<CrashObserver*> crash_observers_;
  std::vector<BootObserver*> boot_observers_;
};

}  // namespace racksim::models
