// Lists what the rack is made of, and compares. See rack_usage.hpp.
#include "models/rack/rack_usage.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/rack/network_switch.hpp"

namespace racksim::models {

namespace {

constexpr std::string_view kIn = "ports.in", kOut = "ports.out", kBuffer = "buffer";

sim::Duration time_for(std::uint64_t packets, std::uint64_t per_second) {
  return sim::Duration::from_ps(std::llround(1e12 * static_cast<double>(packets) / static_cast<double>(per_second)));
}

}  // namespace

RackUsage::RackUsage(Rack& rack) : rack_(rack) {
  for (std::size_t node = 0; node < rack.nodes(); ++node) add_server(rack.server(static_cast<NodeId>(node)));
  for (unsigned number = 0; number < rack.switches(); ++number) add_switch(number);
  add_trunks();
  register_metrics();
  rack.metrics().when_window_opens([this] { begin(); });
}

std::size_t RackUsage::kind(std::string_view name) {
  const auto place = static_cast<std::size_t>(std::find(kinds_.begin(), kinds_.end(), name) - kinds_.begin());
  if (place == kinds_.size()) kinds_.emplace_back(name);
  return place;
}

void RackUsage::add(std::string_view kind_name, Sum worked, std::function<std::string()> name, Sum waited,
                    Waits* waits) {
  resources_.push_back({.kind = kind(kind_name),
                        .worked = std::move(worked),
                        .waited = std::move(waited),
                        .name = std::move(name),
                        .waits = waits});
}

void RackUsage::add_station(std::string_view kind_name, Station& station, std::function<std::string()> name) {
  add(
      kind_name, [this, &station] { return station.worked(rack_.calendar().now()); }, std::move(name),
      [this, &station] { return station.waited(rack_.calendar().now()); }, &station.waits());
}

void RackUsage::add_server(Server& server) {
  for (std::size_t number = 0; number < server.cores(); ++number) {
    Core& core = server.core(number);
    add(
        fmt::format("cores.{}", core.role().empty() ? "other" : core.role()), [&core] { return core.worked(); },
        [&core] { return core.name(); }, [&core] { return core.waited(); }, &core.waits());
    resources_.back().core = &core;
  }
  NicEngine& nic = server.nic().engine();
  const NodeId node = server.node();
  const auto nic_name = [node] { return fmt::format("node{}/nic", node); };
  const auto pcie_name = [node] { return fmt::format("node{}/pcie", node); };
  add_station("nic.transmit", nic.transmit_engine(), nic_name);
  add_station("nic.receive", nic.receive_engine(), nic_name);
  add_station("nic.atomics", nic.atomics_unit(), nic_name);
  add_station("pcie.read", nic.pcie_reads(), pcie_name);
  add_station("pcie.write", nic.pcie_writes(), pcie_name);
  Wire& up = rack_.uplink(node);
  const auto waited = [&up] { return up.waited(); };
  add(
      kIn, [&up] { return up.occupied().bits; }, [&up] { return up.name(); }, waited, &up.waits());
  if (rack_.options().network_switch.port_packets_per_second == 0) return;
  add(
      kIn, [&up] { return up.occupied().packets; }, [&up] { return fmt::format("{} (packets)", up.name()); }, waited,
      &up.waits());
}

void RackUsage::add_switch(unsigned number) {
  SwitchChassis& chassis = rack_.chassis(number);
  for (std::size_t node = 0; node < rack_.nodes(); ++node) {
    const auto id = static_cast<NodeId>(node);
    if (rack_.switch_of(id) == number) add_outgoing(kOut, rack_.downlink(id), chassis, rack_.port_of(id));
  }
  for (unsigned number_of_pipe = 0; number_of_pipe < chassis.pipes(); ++number_of_pipe) {
    SwitchPipe& pipe = chassis.pipe(number_of_pipe);
    add(
        "pipes", [&pipe] { return pipe.worked(); },
        [&chassis, number_of_pipe] { return fmt::format("{}/pipe{}", chassis.name(), number_of_pipe); },
        [&pipe] { return pipe.waited(); }, &pipe.waits());
    // What circulates idle has no queue, so nobody counts who waits.
    const Wire& loopback = chassis.recirculation_wire(number_of_pipe);
    add(
        "recirculation", [&loopback] { return loopback.occupied().bits; }, [&loopback] { return loopback.name(); }, {},
        nullptr);
  }
  add_station("control_cpu", rack_.control_cpu(number).operation_rate(),
              [&chassis] { return fmt::format("{}/control_cpu", chassis.name()); });
}

// Packets wait in the queue of the port by which the wire leaves.
void RackUsage::add_outgoing(std::string_view kind_name, Wire& wire, SwitchChassis& chassis, unsigned port) {
  TrafficManager& queues = chassis.egress().traffic_manager();
  const auto waited = [this, &queues, port] { return queues.waited(port, rack_.calendar().now()); };
  add(
      kind_name, [&wire] { return wire.occupied().bits; }, [&wire] { return wire.name(); }, waited,
      &queues.waits(port));
  const std::uint64_t rate = chassis.options().port_packets_per_second;
  if (rate == 0) return;
  add(
      kind_name,
      [this, &wire, &queues, port, rate] {
        const sim::Duration all = time_for(wire.packets_sent(), rate);
        return all - std::clamp(queues.packets_free_at(port) - rack_.calendar().now(), sim::Duration{}, all);
      },
      [&wire] { return fmt::format("{} (packets)", wire.name()); }, waited, &queues.waits(port));
}

// Trunks are in the order of the cables between switches.
void RackUsage::add_trunks() {
  auto trunk = rack_.trunks().begin();
  const auto named = [this](const std::string& name) -> SwitchChassis& {
    unsigned number = 0;
    while (rack_.chassis(number).name() != name) ++number;
    return rack_.chassis(number);
  };
  for (const Topology::Cable& cable : rack_.topology().cables()) {
    if (!rack_.topology().is_switch(cable.a.device) || !rack_.topology().is_switch(cable.b.device)) continue;
    add_outgoing("trunks", *trunk->up, named(trunk->below), cable.a.number);
    add_outgoing("trunks", *trunk->down, named(trunk->above), cable.b.number);
    ++trunk;
  }
}

void RackUsage::register_metrics() {
  sim::Metrics& metrics = rack_.metrics();
  const auto of = [this](const std::string& kind_name) -> const BusiestResource& {
    const auto& all = busiest();
    return *std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.kind == kind_name; });
  };
  const auto is_waited_for = [this](const std::string& kind_name) {
    return std::any_of(resources_.begin(), resources_.end(), [&](const Resource& resource) {
      return kinds_[resource.kind] == kind_name && resource.waits != nullptr;
    });
  };
  const auto gauge = [&](std::string_view what, const std::string& kind_name, const char* unit, std::string_view doc,
                         double (*value)(const BusiestResource&)) -> sim::Gauge& {
    return metrics.computed(fmt::format("{}.{}", what, kind_name), unit, doc,
                            [of, kind_name, value] { return value(of(kind_name)); });
  };
  for (std::size_t number = 0; number < kinds_.size(); ++number) {
    const std::string& name = kinds_[number];
    gauge("busy", name, "share", "Of the window for which the busiest of these resources was at work.",
          [](const BusiestResource& one) { return one.busy; })
        .over_time = [this, number] { return since_last(number, Told::busy); };
    if (!is_waited_for(name)) continue;
    gauge("queue", name, "customers", "How many waited for that resource, in the mean.",
          [](const BusiestResource& one) { return one.queue->mean; })
        .over_time = [this, number] { return since_last(number, Told::waiting); };
    gauge("largest_queue", name, "customers", "How many waited for that resource at once, at most.",
          [](const BusiestResource& one) { return static_cast<double>(one.queue->most); });
    gauge("longest_wait", name, "ns", "How long one waited for that resource, at most.",
          [](const BusiestResource& one) { return one.queue->longest_wait.ns(); });
  }
  metrics.computed(fmt::format("busy.{}", kBuffer), "share",
                   "Of a switch's packet buffer that packets for its front ports used at once, at most.",
                   [of] { return of(std::string(kBuffer)).busy; });
}

std::function<double()> RackUsage::since_last(std::size_t kind, Told told) const {
  struct Before {
    const Resource* resource;
    sim::Duration worked, waited;
  };
  std::vector<Before> all;
  for (const Resource& resource : resources_) {
    if (resource.kind == kind) all.push_back({&resource, {}, {}});
  }
  return [this, told, all = std::move(all), asked = sim::Time{}]() mutable {
    const sim::Time now = rack_.calendar().now();
    const double length = (now - std::exchange(asked, now)).seconds();
    sim::Duration most = sim::Duration::from_ps(-1), waited_for_it;
    for (Before& before : all) {
      const sim::Duration worked = before.resource->worked(),
                          waited = before.resource->waited ? before.resource->waited() : sim::Duration{};
      const sim::Duration more = worked - std::exchange(before.worked, worked),
                          longer = waited - std::exchange(before.waited, waited);
      if (more <= most) continue;
      most = more;
      waited_for_it = longer;
    }
    return length > 0 ? (told == Told::busy ? most : waited_for_it).seconds() / length : 0;
  };
}

void RackUsage::begin() {
  for (Resource& resource : resources_) {
    resource.worked_before = resource.worked();
    if (resource.waits == nullptr) continue;
    resource.waited_before = resource.waited();
    resource.waits->begin_window();
  }
  for (unsigned number = 0; number < rack_.switches(); ++number) {
    rack_.chassis(number).egress().traffic_manager().note_most_used_from(rack_.calendar().now());
  }
}

const std::vector<BusiestResource>& RackUsage::busiest() {
  if (std::exchange(judged_, true)) return busiest_;
  for (const std::string& name : kinds_) busiest_.push_back(judge(name));
  busiest_.push_back(fullest_buffer());
  std::stable_sort(busiest_.begin(), busiest_.end(), [](const auto& a, const auto& b) { return a.busy > b.busy; });
  return busiest_;
}

BusiestResource RackUsage::judge(const std::string& kind_name) {
  const double window = rack_.metrics().window_length().seconds();
  const Resource* most = nullptr;
  BusiestResource one;
  one.kind = kind_name;
  for (const Resource& resource : resources_) {
    if (kinds_[resource.kind] != kind_name) continue;
    const double busy = window > 0 ? (resource.worked() - resource.worked_before).seconds() / window : 0;
    if (most != nullptr && busy <= one.busy) continue;
    most = &resource;
    one.busy = busy;
  }
  one.name = most->name();
  if (most->waits == nullptr) return one;
  const Waits waits = most->core != nullptr ? most->core->waits_by_now() : *most->waits;
  one.queue = {.mean = window > 0 ? (most->waited() - most->waited_before).seconds() / window : 0,
               .most = waits.most_at_once(),
               .longest_wait = waits.longest()};
  return one;
}

BusiestResource RackUsage::fullest_buffer() {
  BusiestResource fullest;
  fullest.kind = kBuffer;
  for (unsigned number = 0; number < rack_.switches(); ++number) {
    const double used = rack_.chassis(number).egress().traffic_manager().most_used();
    if (number > 0 && used <= fullest.busy) continue;
    fullest.busy = used;
    fullest.name = fmt::format("{}/buffer", rack_.chassis(number).name());
  }
  return fullest;
}

}  // namespace racksim::models
