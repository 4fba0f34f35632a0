// Building and wiring the rack. See rack.hpp.
#include "models/rack/rack.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include "p4model/execute/forwarding.hpp"
#include "p4model/language/headers.hpp"
#include "sim/options/option_error.hpp"

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
      udp_prototype_(prototypes_.make()),
      accounting_(metrics),
      context_{.calendar = calendar,
               .event_log = event_log,
               .metrics = metrics,
               .packets = packets_,
               .accounting = accounting_,
               .seed = seed},
      nic_counters_(metrics),
      topology_(Topology::star(options.nodes, {options.link_bits_per_second, options.link_propagation})) {
  udp_prototype_->push(p4::Ethernet{.ether_type = p4::kEtherTypeIpv4});
  udp_prototype_->push(p4::Ipv4{.protocol = p4::kProtocolUdp});
  udp_prototype_->push(p4::Udp{});
  if (options.nodes > options.network_switch.ports) {
    throw sim::OptionError("nodes", fmt::format("{} servers", options.nodes),
                           fmt::format("at most the {} ports of the switch", options.network_switch.ports));
  }
  for (std::uint64_t i = 0; i < options.nodes; ++i) {
    servers_.push_back(std::make_unique<Server>(context_, nic_counters_, static_cast<NodeId>(i), options_));
  }
  chassis_ = std::make_unique<SwitchChassis>(context_, options_.network_switch);
  control_cpu_ = std::make_unique<ControlCpu>(context_, *chassis_);
  plug_servers();
  install_program(p4::make_forwarding_program().program);
}

void Rack::plug_servers() {
  const auto centre = topology_.neighbours(topology_.server(0)).front();
  ports_ = topology_.ports_towards_servers(centre);
  for (auto& server : servers_) {
    const NodeId node = server->node();
    const auto& link = topology_.link(topology_.server(node), centre);
    const auto& name = topology_.name(topology_.server(node));
    auto& up = *wires_.emplace_back(std::make_unique<Wire>(
        context_, fmt::format("{}-switch", name), link.bits_per_second, link.propagation, *chassis_, ports_[node]));
    auto& down = *wires_.emplace_back(std::make_unique<Wire>(context_, fmt::format("switch-{}", name),
                                                             link.bits_per_second, link.propagation, server->nic(), 0));
    if (options_.link_framing == Framing::infiniband) {
      up.frame_as_infiniband();
      down.frame_as_infiniband();
    }
    for (Wire* wire : {&up, &down}) wire->limit_packets(options_.network_switch.port_packets_per_second);
    up.expect_jitter(options_.faults.jitter);
    down.expect_jitter(options_.faults.jitter);
    server->nic().plug(up);
    chassis_->plug(ports_[node], down);
    if (options_.faults.any()) {
      up.set_faults(options_.faults);
      down.set_faults(options_.faults);
    }
  }
}

void Rack::install_program(std::shared_ptr<const p4::Program> program) {
  chassis_->load(std::move(program));
  fill_routes();
}

void Rack::fill_routes() {
  const auto& program = chassis_->pipeline(0).program();
  const p4::Table *by_mac = table_of(program, "forward_by_mac"), *by_ip = table_of(program, "forward_by_ip");
  for (unsigned pipe = 0; pipe < chassis_->pipes(); ++pipe) {
    auto& pipeline = chassis_->pipeline(pipe);
    const auto add = [&](NodeId node, unsigned leaving_by) {
      const std::array<std::uint64_t, 1> port{leaving_by};
      const std::array<std::uint64_t, 1> mac{mac_of(node)}, ip{ipv4_of(node)};
      // The first action of both takes the port.
      if (by_mac) pipeline.add_entry(*by_mac, mac, *by_mac->actions.front(), port);
      if (by_ip) pipeline.add_entry(*by_ip, ip, *by_ip->actions.front(), port);
    };
    for (const auto& server : servers_) add(server->node(), ports_[server->node()]);
    add(kControlCpuNode, chassis_->cpu_port());
  }
  exclude_senders();
  for (const auto& [group, members] : groups_) {
    route_to_group(group);
    set_copies(group);
  }
}

// Plain forwarding names the port by which a packet came; a program with groups of its own names what it likes.
void Rack::exclude_senders() {
  if (forwards_to_groups(chassis_->pipeline(0).program()) == nullptr) return;
  for (const unsigned port : ports_) {
    const auto number = static_cast<std::uint16_t>(port);
    chassis_->replication().set_exclusion(number, {number});
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
  const auto& program = chassis_->pipeline(0).program();
  const p4::Table* by_mac = table_of(program, "forward_by_mac");
  const p4::Action* to_group = forwards_to_groups(program);
  if (to_group == nullptr) {
    throw std::logic_error(
        fmt::format("the switch's program {} forwards to no multicast groups of servers", program.name()));
  }
  const std::array<std::uint64_t, 1> mac{multicast_mac_of(group)}, value{group};
  for (unsigned pipe = 0; pipe < chassis_->pipes(); ++pipe) {
    chassis_->pipeline(pipe).add_entry(*by_mac, mac, *to_group, value);
  }
}

void Rack::set_copies(std::uint16_t group) {
  p4::MulticastNode all;
  for (const NodeId member : groups_.at(group)) all.ports.push_back(static_cast<std::uint16_t>(port_of(member)));
  chassis_->replication().set_group(group, {all});
}

p4::PacketRef Rack::make_packet(NodeId to, std::uint16_t source_port, std::uint16_t destination_port) {
  auto packet = packets_.clone_headers(*udp_prototype_);
  packet->get_at<p4::Ethernet>(0).dst = mac_of(to);
  packet->get_at<p4::Ipv4>(1).dst = ipv4_of(to);
  auto& udp = packet->get_at<p4::Udp>(2);
  udp.src_port = source_port;
  udp.dst_port = destination_port;
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

void Rack::restart_switch(sim::Time lost_power_at) {
  chassis_->power_on(lost_power_at, [this] {
    fill_routes();
    for (BootObserver* observer : boot_observers_) observer->switch_booted();
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
  std::uint64_t sum = chassis_->packets_held() + control_cpu_->packets_held();
  for (const auto& server : servers_) sum += server->nic().packets_held();
  for (const auto& wire : wires_) sum += wire->in_flight();
  return sum;
}

}  // namespace racksim::models
