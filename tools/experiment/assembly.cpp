// Builds the parts of a run. See assembly.hpp.
#include "tools/experiment/assembly.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "p4model/fit/placement.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::tools {

namespace {

// Warm-up by the protocol itself takes time before time zero. Far more than enough.
constexpr sim::Time kWarmUpBegins = sim::Time::from_ps(-1'000'000'000'000'000);

/// Builds a part that stands at `pointer` in a scenario, of which its option errors name their own options.
template <class Build>
auto built(const std::string& pointer, Build&& build) {
  try {
    return build();
  } catch (const sim::OptionError& error) {
    std::string option = error.option();
    if (option.starts_with('/')) throw;
    std::replace(option.begin(), option.end(), '.', '/');
    throw sim::OptionError(option.empty() ? pointer : pointer + '/' + option, error.found(), error.expected());
  } catch (const p4::ProgramError& refused) {
    throw sim::OptionError(pointer, fmt::format("a switch program that does not fit: {}", refused.what()),
                           "options with a program that the switch has room for");
  }
}

void refuse_racks(const std::string& protocol, std::uint64_t racks) {
  const auto* entry = sim::Registry<models::ProtocolEntry>::find(protocol);
  if (entry == nullptr || entry->knows_racks) return;
  throw sim::OptionError("/rack/topology/racks", fmt::format("{} racks", racks),
                         fmt::format("one: {} is of a rack with one switch, and says nothing of several", protocol));
}

}  // namespace

Assembly::Assembly(const Parts& parts, sim::Metrics& metrics)
    : protocol_options_(parts.protocol),
      metrics_(metrics),
      calendar_(parts.order, parts.protocol->warms_itself() ? sim::Time{} : kWarmUpBegins),
      lane_(calendar_.add_lane("experiment")),
      event_log_(parts.workload->makes_service(parts.protocol->state_size(parts.rack.nodes).block_bytes) ? "memory."
                                                                                                         : "") {
  rack_ = built("/rack",
                [&] { return std::make_unique<models::Rack>(calendar_, event_log_, metrics, parts.rack, parts.seed); });
  if (rack_->switches() > 1) refuse_racks(parts.protocol_name, parts.rack.topology.racks);
  event_log_.fold_configuration(parts.configuration, parts.seed);
  protocol_ = built("/protocol/" + parts.protocol_name, [&] {
    models::ProtocolContext context{.rack = *rack_,
                                    .threads_per_node = parts.workload->threads_per_node(),
                                    .sessions_per_thread = parts.workload->sessions_per_thread(),
                                    .blocks_in_reach =
                                        [&](std::uint64_t block_bytes) {
                                          const auto nodes = static_cast<unsigned>(rack_->nodes());
                                          return parts.workload->blocks_in_reach(
                                              parts.rack.roles.of(nodes).compute_nodes, block_bytes);
                                        },
                                    .coverage = sim::CoverageProbe(parts.coverage)};
    return parts.protocol->build(context);
  });
  workload_ = built("/workload", [&] {
    models::WorkloadContext context{*rack_, *protocol_};
    return parts.workload->build(context);
  });
  rack_->observe_crashes(*workload_);  // tasks go before the state that they use
  rack_->observe_crashes(*protocol_);
  usage_ = std::make_unique<models::RackUsage>(*rack_);
  faults_ = std::make_unique<models::FaultSchedule>(*rack_);
  for (std::size_t i = 0; i < parts.faults.size(); ++i) {
    built(fmt::format("/faults/{}", i), [&] {
      faults_->add(parts.faults[i].kind, parts.faults[i].fault);
      return true;
    });
  }
}

// A protocol that is warmed up by itself has been at work: all of that comes to its end, and counts for nothing.
void Assembly::warm_up() {
  workload_->warm_up();
  if (calendar_.now() == sim::Time{}) return;
  const std::uint64_t still_under_way = 100'000'000;  // events: a protocol that does not come to rest
  for (std::uint64_t events = 0; calendar_.run_one(sim::Time::from_ps(-1)); ++events) {
    if (events == still_under_way) throw std::logic_error("the warm-up does not come to rest");
  }
  metrics_.clear_counts();
  calendar_.skip_to(sim::Time{});
  warm_events_ = calendar_.executed();
}

sim::RunHash Assembly::hash() {
  sim::RunHash hash = event_log_.hash();
  if (models::Service* own = workload_->own_service()) hash += own->history().hash();
  return hash;
}

bool Assembly::busy() const {
  return (!protocol_->quiescent() && !protocol_->service().holds_locks()) || packets_under_way();
}

bool Assembly::at_rest() const {
  return workload_->running() == 0 && protocol_->quiescent() && !packets_under_way();
}

bool Assembly::packets_under_way() const {
  return rack_->packets_in_flight() != rack_->packets_circulating();
}

}  // namespace racksim::tools
