// Building and wiring the rack. See rack.hpp.
#include "models/rack/rack.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include "models/rack/network_switch.hpp"
#include "p4model/execute/forwarding.hpp"
#include "p4model/language/headers.hpp"
#include "p4model/language/program.hpp"

namespace racksim::models {

namespace {

/// The program's table of this name, or null.
const p4::Table* table_of(const p4::Program& program, std::string_view name) {
  for (const auto& table : program.tables()) {
    if (table.name == name) return &table;
  }
  return nullptr;
}

/// What plain forwarding alone does with packets for groups of servers; null if the program has no such action.
const p4::Action* forwards_to_groups(const p4::Program& program) {
  const p4::Table* by_mac = table_of(program, "forward_by_mac");
  if (by_mac == nullptr) return nullptr;
  for (const p4::Action* action : by_mac->actions) {
    if (action->name == "forward_to_group") return action;
  }
  return nullptr;
}

}  // namespace

Server::Server(RackContext& context, NicCounters& counters, NodeId node, const RackOptions& options)
    : nic_(context, counters, node, options.nic, options.cpu), clock_(context.calendar, fmt::format("node{}", node)) {
  for (std::uint64_t i = 0; i < options.cores; ++i) {
    cores_.push_back(std::make_unique<Core>(context.calendar, fmt::format("node{}/core{}", node, i)));
  }
}

Core& Server::core(std::size_t number) {
  if (number >= cores_.size()) {
    throw std::out_of_range(fmt::format("node {} has {} cores, no core {}", node(), cores_.size(), number));
  }
  return *cores_[number];
}

Rack::Rack(sim::Calendar& calendar, sim::EventLog& event_log, sim::Metrics& metrics, const RackOptions& options,
           std::uint64_t seed)
    : options_(options),
      accounting_(metrics),
      context_{.calendar = calendar,
               .event_log = event_log,
               .metrics = metrics,
               .packets = packets_,
               .accounting = accounting_,
               .seed = seed},
      nic_counters_{metrics},
      topology_(options.topology.build(options.nodes, {options.link_bits_per_second, options.link_propagation},
                                       options.network_switch)) {
  for (std::uint64_t i = 0; i < options.nodes; ++i) {
    servers_.push_back(std::make_unique<Server>(context_, nic_counters_, static_cast<NodeId>(i), options_));
  }
  make_switches();
  plug_servers();
  plug_trunks();
  find_routes();
  const auto plain = p4::make_forwarding_program(options_.network_switch.bits_of_ports()).program;
  for (unsigned number = 0; number < switches(); ++number) install_program(plain, number);
}

Rack::~Rack() = default;

SwitchChassis& Rack::chassis() {
  return only_switch().chassis;
}

ControlCpu& Rack::control_cpu() {
  return only_switch().control_cpu;
}

SwitchChassis& Rack::chassis(unsigned network_switch) {
  return switches_.at(network_switch)->chassis;
}

const SwitchChassis& Rack::chassis(unsigned network_switch) const {
  return switches_.at(network_switch)->chassis;
}

ControlCpu& Rack::control_cpu(unsigned network_switch) {
  return switches_.at(network_switch)->control_cpu;
}

unsigned Rack::port_towards(unsigned network_switch, unsigned pipe, NodeId node) const {
  return switches_.at(network_switch)->ports_to_servers.at(pipe).at(node);
}

NetworkSwitch& Rack::only_switch() {
  if (switches_.size() != 1) {
    throw std::logic_error(fmt::format("the rack has {} switches, of which none was named", switches_.size()));
  }
  return *switches_.front();
}

unsigned Rack::switch_at(Topology::Vertex vertex) const {
  const auto found =
      std::find_if(switches_.begin(), switches_.end(), [&](const auto& one) { return one->vertex == vertex; });
  return static_cast<unsigned>(found - switches_.begin());
}

void Rack::make_switches() {
  for (const Topology::Vertex vertex : topology_.switches()) {
    switches_.push_back(std::make_unique<NetworkSwitch>(context_, options_.network_switch,
                                                        SwitchName{topology_.name(vertex), switches()}, vertex));
  }
}

void Rack::set_up_wire(Wire& wire) const {
  if (options_.link_framing == Framing::infiniband) wire.frame_as_infiniband();
  wire.expect_jitter(options_.faults.jitter);
  if (options_.faults.any()) wire.set_faults(options_.faults);
}

void Rack::plug_servers() {
  for (auto& server : servers_) {
    const NodeId node = server->node();
    const Topology::Port port = topology_.switch_port_of(node);
    SwitchChassis& chassis = this->chassis(switch_at(port.device));
    const auto& link = topology_.link(topology_.server(node), port.device);
    const auto& name = topology_.name(topology_.server(node));
    auto& up =
        *wires_.emplace_back(std::make_unique<Wire>(context_, fmt::format("{}-{}", name, chassis.name()),
                                                    link.bits_per_second, link.propagation, chassis, port.number));
    auto& down = *wires_.emplace_back(std::make_unique<Wire>(context_, fmt::format("{}-{}", chassis.name(), name),
                                                             link.bits_per_second, link.propagation, server->nic(), 0));
    for (Wire* wire : {&up, &down}) set_up_wire(*wire);
    // Into the switch; the other way its traffic manager sees to it.
    up.limit_packets(options_.network_switch.port_packets_per_second);
    server->nic().plug(up);
    chassis.plug(port.number, down);
  }
}

void Rack::plug_trunks() {
  std::map<std::string, unsigned> numbers;
  for (const Topology::Cable& cable : topology_.cables()) {
    if (!topology_.is_switch(cable.a.device) || !topology_.is_switch(cable.b.device)) continue;
    SwitchChassis &below = chassis(switch_at(cable.a.device)), &above = chassis(switch_at(cable.b.device));
    const std::string pair = fmt::format("{}-{}", below.name(), above.name());
    const unsigned number = numbers[pair]++;
    const auto wire = [&](const SwitchChassis& from, SwitchChassis& to, unsigned port) {
      return std::make_unique<Wire>(context_, fmt::format("{}-{}.{}", from.name(), to.name(), number),
                                    cable.link.bits_per_second, cable.link.propagation, to, port);
    };
    Trunk& trunk = trunks_.emplace_back();
    trunk.name = fmt::format("{}.{}", pair, number);
    trunk.below = below.name();
    trunk.above = above.name();
    trunk.up = wire(below, above, cable.b.number);
    trunk.down = wire(above, below, cable.a.number);
    set_up_wire(*trunk.up);
    set_up_wire(*trunk.down);
    below.plug(cable.a.number, *trunk.up);
    above.plug(cable.b.number, *trunk.down);
  }
}

void Rack::find_routes() {
  for (auto& own : switches_) {
    for (unsigned pipe = 0; pipe < own->chassis.pipes(); ++pipe) {
      own->ports_to_servers.push_back(topology_.ports_towards_servers(own->vertex, pipe));
      auto& to_cpus = own->ports_to_control_cpus.emplace_back();
      for (const auto& other : switches_) {
        to_cpus.push_back(other == own ? own->chassis.cpu_port()
                                       : topology_.port_towards_switch(own->vertex, pipe, other->vertex));
      }
    }
  }
}

void Rack::install_program(std::shared_ptr<const p4::Program> program, unsigned network_switch) {
  chassis(network_switch).load(std::move(program));
  fill_routes(*switches_[network_switch]);
}

void Rack::fill_routes(NetworkSwitch& own) {
  const auto& program = own.chassis.pipeline(0).program();
  const p4::Table *by_mac = table_of(program, "forward_by_mac"), *by_ip = table_of(program, "forward_by_ip");
  for (unsigned pipe = 0; pipe < own.chassis.pipes(); ++pipe) {
    auto& pipeline = own.chassis.pipeline(pipe);
    if (pipe > 0 && own.routes_like_first(pipe)) {
      for (const p4::Table* table : {by_mac, by_ip}) {
        if (table) pipeline.share_entries(*table, own.chassis.pipeline(0));
      }
      continue;
    }
    const auto add = [&](NodeId node, unsigned leaving_by) {
      const std::array<std::uint64_t, 1> port{leaving_by};
      const std::array<std::uint64_t, 1> mac{mac_of(node)}, ip{ipv4_of(node)};
      // The first action of both takes the port.
      if (by_mac) pipeline.add_entry(*by_mac, mac, *by_mac->actions.front(), port);
      if (by_ip) pipeline.add_entry(*by_ip, ip, *by_ip->actions.front(), port);
    };
    for (const auto& server : servers_) add(server->node(), own.ports_to_servers[pipe][server->node()]);
    for (unsigned number = 0; number < switches(); ++number) {
      add(control_cpu_node(number), own.ports_to_control_cpus[pipe][number]);
    }
  }
  if (switches_.size() > 1) return;
  exclude_senders();
  for (const auto& [group, members] : groups_) {
    route_to_group(group);
    set_copies(group);
  }
}

// Plain forwarding names the port by which a packet came; a program with groups of its own names what it likes.
void Rack::exclude_senders() {
  if (forwards_to_groups(chassis().pipeline(0).program()) == nullptr) return;
  auto& replication = chassis().replication();
  for (const auto& server : servers_) {
    const auto number = static_cast<std::uint16_t>(port_of(server->node()));
    if (number <= replication.most_exclusion()) replication.set_exclusion(number, {number});
  }
}

void Rack::join(std::uint16_t group, NodeId node) {
  const NodeId member = servers_.at(node)->node();
  if (!groups_.contains(group)) route_to_group(group);
  groups_[group].insert(member);
  set_copies(group);
}

// The route of a group without members stays: packets for it are dropped for want of copies.
void Rack::leave(std::uint16_t group, NodeId node) {
  const auto found = groups_.find(group);
  if (found == groups_.end() || found->second.erase(node) == 0) return;
  set_copies(group);
}

void Rack::route_to_group(std::uint16_t group) {
  const auto& program = chassis().pipeline(0).program();
  const p4::Table* by_mac = table_of(program, "forward_by_mac");
  const p4::Action* to_group = forwards_to_groups(program);
  if (to_group == nullptr) {
    throw std::logic_error(
        fmt::format("the switch's program {} forwards to no multicast groups of servers", program.name()));
  }
  for (const auto& server : servers_) {
    const unsigned port = port_of(server->node()), most = chassis().replication().most_exclusion();
    if (port > most) {
      throw std::runtime_error(fmt::format(
          "multicast group {}: a server at port {}, of which copies of its own packets could not be kept: L2 "
          "exclusion ids end at {}",
          group, port, most));
    }
  }
  const std::array<std::uint64_t, 1> mac{multicast_mac_of(group)}, value{group};
  for (unsigned pipe = 0; pipe < chassis().pipes(); ++pipe) {
    chassis().pipeline(pipe).add_entry(*by_mac, mac, *to_group, value);
  }
}

void Rack::set_copies(std::uint16_t group) {
  p4::MulticastNode all;
  for (const NodeId member : groups_.at(group)) all.ports.push_back(static_cast<std::uint16_t>(port_of(member)));
  chassis().replication().set_group(group, {all});
}

p4::PacketRef Rack::make_packet(NodeId to, std::uint16_t source_port, std::uint16_t destination_port) {
  auto packet = packets_.make();
  packet->set_headers(p4::Ethernet{.dst = mac_of(to), .ether_type = p4::kEtherTypeIpv4},
                      p4::Ipv4{.protocol = p4::kProtocolUdp, .dst = ipv4_of(to)},
                      p4::Udp{.src_port = source_port, .dst_port = destination_port});
  return packet;
}

void Rack::crash(NodeId node) {
  Server& server = *servers_.at(node);
  if (server.crashes_++ > 0) return;
  for (CrashObserver* observer : crash_observers_) observer->node_fails(node);
  for (auto& core : server.cores_) core->halt();
  server.nic_.power_off();
  for (CrashObserver* observer : crash_observers_) observer->node_crashed(node);
}

void Rack::restart(NodeId node) {
  Server& server = *servers_.at(node);
  if (server.crashes_ == 0 || --server.crashes_ > 0) return;
  ++server.incarnation_;
  server.nic_.power_on();
  for (CrashObserver* observer : crash_observers_) observer->node_restarted(node);
}

void Rack::restart_switch(sim::Time lost_power_at, unsigned network_switch) {
  chassis(network_switch).power_on(lost_power_at, [this, network_switch] {
    fill_routes(*switches_[network_switch]);
    for (const auto& [observer, observed] : boot_observers_) {
      if (observed == network_switch) observer->switch_booted();
    }
  });
}

void Rack::add_waits(std::vector<sim::Wait>& waits) const {
  for (const auto& server : servers_) {
    for (const auto& core : server->cores_) {
      if (core->backlog() == 0) continue;
      waits.push_back({.who = core->name(),
                       .whom = {},
                       .why = fmt::format("a backlog of {}, the first of which ends at {:.3f} ns", core->backlog(),
                                          (core->free_at() - sim::Time{}).ns())});
    }
    server->nic_.add_waits(waits);
  }
}

std::uint64_t Rack::packets_in_flight() const {
  std::uint64_t sum = 0;
  for (const auto& one : switches_) sum += one->chassis.packets_held() + one->control_cpu.packets_held();
  for (const auto& server : servers_) sum += server->nic().packets_held();
  for (const auto& wire : wires_) sum += wire->in_flight();
  for (const Trunk& trunk : trunks_) sum += trunk.up->in_flight() + trunk.down->in_flight();
  return sum;
}

std::uint64_t Rack::packets_circulating() const {
  std::uint64_t sum = 0;
  for (const auto& one : switches_) sum += one->chassis.packets_circulating();
  return sum;
}

void Rack::settle() {
  for (auto& one : switches_) one->chassis.settle();
}

}  // namespace racksim::models
