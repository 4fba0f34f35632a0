// Observations turned into events, and what is kept of them; packets and register writes are recorded_packets.cpp. See
// recorder.hpp.
#include "tools/explain/recorder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "models/switch/control_cpu.hpp"

namespace racksim::tools::explain {

namespace {

using Type = Event::Type;

/// Events from this number on are those kept apart.
constexpr std::uint64_t kApart = std::uint64_t{1} << 63;

const char* permission_text(sim::Permission permission) {
  switch (permission) {
    case sim::Permission::none:
      return "may no longer read or write";
    case sim::Permission::read:
      return "may read";
    case sim::Permission::write:
      return "may write";
  }
  return "?";
}

}  // namespace

Recorder::Recorder(Filter filter) : filter_(std::move(filter)) {}

std::string Recorder::node_name(models::NodeId node) {
  if (models::is_control_cpu(node)) return models::kControllerParty;
  return fmt::format("n{}", node);
}

void Recorder::attach(models::Rack& rack, const models::Protocol& protocol) {
  rack_ = &rack;
  protocol_ = &protocol;
  for (models::NodeId node = 0; node < rack.nodes(); ++node) {
    add_parts(node, rack.uplink(node).source(), rack.downlink(node).source(), rack.server(node).nic().source(),
              rack.chassis(rack.switch_of(node)).name());
  }
  for (const models::Trunk& trunk : rack.trunks()) {
    parts_[trunk.up->source().index] = {Part::Role::trunk, 0, {}, trunk.below, trunk.above};
    parts_[trunk.down->source().index] = {Part::Role::trunk, 0, {}, trunk.above, trunk.below};
  }
  for (unsigned number = 0; number < rack.switches(); ++number) {
    models::SwitchChassis& chassis = rack.chassis(number);
    switches_.push_back(chassis.name());
    if (const models::ControlCpu& cpu = rack.control_cpu(number); cpu.listening()) {
      add_parts(cpu.node(), cpu.to_switch(), cpu.from_switch(), cpu.network_source(), chassis.name());
    }
    first_pipes_.push_back(static_cast<unsigned>(shadows_.size()));
    for (unsigned pipe = 0; pipe < chassis.pipes(); ++pipe) {
      shadows_.push_back(chassis.pipeline(pipe).registers());
      shadows_.back().remove_observers();
    }
  }
  name_registers();
  rack.context().add_packet_observer(*this);
  rack.event_log().attach(*this);
}

void Recorder::add_parts(models::NodeId node, sim::Source uplink, sim::Source downlink, sim::Source nic,
                         const std::string& network_switch) {
  parts_[uplink.index] = {Part::Role::uplink, node, downlink, "", network_switch};
  parts_[downlink.index] = {Part::Role::downlink, node, downlink, network_switch, ""};
  parts_[nic.index] = {Part::Role::nic, node, downlink, network_switch, ""};
}

std::string Recorder::switch_at(sim::Source part) const {
  const std::string& name = rack_->event_log().name(part);
  for (const std::string& one : switches_) {
    if (name.starts_with(one + '/') || name.starts_with(one + '-')) return one;
  }
  return "switch";
}

void Recorder::name_registers() {
  of_key_.clear();
  named_by_protocol_ = false;
  for (const auto& named : protocol_->switch_state_of(filter_.key)) {
    named_by_protocol_ = true;
    const unsigned pipe = first_pipes_.at(named.network_switch) + named.pipe;
    const p4::RegisterFile& shadow = shadows_.at(pipe);
    const auto array = shadow.array(named.array);
    const RegisterAt where{pipe, std::uint64_t{array} << 32 | named.index};
    if (named.party.empty()) of_key_.insert(where);
    const auto [number, is_new] = register_numbers_.try_emplace(where, registers_.size());
    if (is_new) {
      registers_.push_back(
          {fmt::format("{}[{}]", named.array, named.index), "", "", nullptr, shadow.read(array, named.index), {}});
    }
    Register& known = registers_[number->second];
    known.meaning = named.meaning;
    known.party = named.party;
    known.print = named.print;
  }
}

// Events.

Recorder::EventNumber Recorder::add(Event event) {
  const EventNumber number = next_++;
  if (!anchor_) {
    if (early_.empty()) first_early_ = number;
    early_.push_back(std::move(event));
    if (early_.size() > kKept) {
      early_.pop_front();
      ++first_early_;
    }
  } else if (number - *anchor_ < kKept) {
    early_.push_back(std::move(event));
  } else {
    if (late_.empty()) first_late_ = number;
    late_.push_back(std::move(event));
    if (late_.size() > kKept) {
      late_.pop_front();
      ++first_late_;
    }
  }
  return number;
}

Recorder::EventNumber Recorder::add_apart(Event event) {
  apart_.push_back({next_, std::move(event)});
  return kApart + (apart_.size() - 1);
}

Event* Recorder::find(EventNumber number) {
  if (number >= kApart) return &apart_.at(number - kApart).event;
  if (number >= first_early_ && number - first_early_ < early_.size()) return &early_[number - first_early_];
  if (number >= first_late_ && number - first_late_ < late_.size()) return &late_[number - first_late_];
  return nullptr;
}

// What comes next is worth keeping with what is around it; what came long before is dropped.
void Recorder::keep_around_next() {
  if (!late_.empty()) {
    if (first_early_ + early_.size() != first_late_) {
      early_.clear();
      first_early_ = first_late_;
    }
    std::move(late_.begin(), late_.end(), std::back_inserter(early_));
    late_.clear();
  }
  while (early_.size() > kKept) {
    early_.pop_front();
    ++first_early_;
  }
  anchor_ = next_;
}

Event* Recorder::landed(sim::Source wire, const p4::Packet& packet) {
  const auto flight = in_flight_.find({wire.index, &packet});
  if (flight == in_flight_.end() || flight->second.serial != packet.serial) return nullptr;
  const EventNumber event = flight->second.event;
  in_flight_.erase(flight);
  return find(event);
}

// The event log.

const std::string& Recorder::session_name(sim::Source source) {
  std::string& name = sessions_[source.index];
  if (name.empty()) {
    name = rack_->event_log().called(source);
  }
  return name;
}

// When the story is told its rack is gone.
std::string Recorder::operation_name(std::uint64_t operation) const {
  const auto issuer = issuers_.find(operation >> sim::kNumberBits);
  return issuer == issuers_.end() ? fmt::format("operation {}", operation)
                                  : sim::operation_name(issuer->second, sim::OperationId{operation});
}

std::string Recorder::actor(models::NodeId node, std::uint64_t operation) const {
  const std::string prefix = node_name(node);
  const auto found = operations_.find(operation);
  if (found != operations_.end() && found->second.session.starts_with(prefix + ".")) return found->second.session;
  const auto receiver = last_receiver_.find(node);
  return receiver != last_receiver_.end() ? receiver->second : prefix;
}

void Recorder::observe(const sim::Observation& observation) {
  if (observation.at > filter_.until) return;
  if (observation.what == sim::Observed::operation_begun)
    issuers_.try_emplace(observation.operation >> sim::kNumberBits, rack_->event_log().name(observation.source));
  Event event;
  event.at = event.sent = observation.at;
  event.operation = observation.operation;
  switch (observation.what) {
    case sim::Observed::operation_begun:
    case sim::Observed::operation_ended:
    case sim::Observed::operation_given_up: {
      const auto view = sim::OperationView::of(observation);
      if (view.key != filter_.key) return;
      const bool begun = observation.what == sim::Observed::operation_begun;
      const bool write = view.kind == sim::OperationKind::write;
      event.from = session_name(observation.source);
      event.type = begun ? Type::begun : Type::ended;
      const bool given_up = observation.what == sim::Observed::operation_given_up;
      const char* verb = begun ? "begins" : given_up ? "is given up" : "ends";
      event.text = fmt::format("{} {}", to_string(view.kind), verb);
      if (write || (accesses_memory(view.kind) && !begun && !given_up))
        event.text += fmt::format(", value {:#x}", view.value.number());
      auto& record = operations_[observation.operation];
      if (begun) {
        record = {view.kind, event.from, observation.at, {}, view.value};
        const auto& accused = filter_.operations;
        if (!story_ && std::find(accused.begin(), accused.end(), observation.operation) != accused.end()) {
          keep_around_next();
          story_ = next_;
        }
      } else {
        record.ended = observation.at;
        record.value = view.value;
      }
      break;
    }
    case sim::Observed::permission: {
      const auto view = sim::PermissionView::of(observation);
      if (view.key != filter_.key) return;
      event.type = Type::permission;
      event.from = actor(static_cast<models::NodeId>(view.node), observation.operation);
      event.text = fmt::format("n{} {}", view.node, permission_text(view.permission));
      break;
    }
    case sim::Observed::fault_begun:
    case sim::Observed::fault_ended:
      event.type = Type::fault;
      event.text = fmt::format("{} {}", rack_->event_log().name(observation.source),
                               observation.what == sim::Observed::fault_begun ? "begins" : "ends");
      break;
    default:
      return;
  }
  // Who began an operation must be known also when it began before the window.
  if (!filter_.from || event.at >= *filter_.from) add(std::move(event));
}

// The result.

History Recorder::history() const {
  History history;
  struct Kept {
    EventNumber number;
    bool apart;
    const Event* event;
  };
  std::vector<Kept> kept;
  for (const Apart& one : apart_) kept.push_back({one.next, true, &one.event});
  for (std::size_t i = 0; i < early_.size(); ++i) kept.push_back({first_early_ + i, false, &early_[i]});
  for (std::size_t i = 0; i < late_.size(); ++i) kept.push_back({first_late_ + i, false, &late_[i]});
  // What was computed ahead comes into its place. Equal instants keep the order of recording.
  std::stable_sort(kept.begin(), kept.end(), [](const Kept& a, const Kept& b) {
    return std::tuple(a.event->at, a.number) < std::tuple(b.event->at, b.number);
  });
  const std::set<std::uint64_t> accused(filter_.operations.begin(), filter_.operations.end());
  for (const auto& [number, apart, event] : kept) {
    if (event->at > filter_.until) continue;
    if (!apart && (number == story_ || number == turn_)) history.turns.push_back(history.events.size());
    if (!apart && !late_.empty() && number == first_late_) {
      history.gap_at = history.events.size();
      history.gap = first_late_ - (first_early_ + early_.size());
    }
    history.events.push_back(*event);
    if (event->operation == 0 || history.operations.contains(event->operation)) continue;
    Operation operation;
    operation.accused = accused.contains(event->operation);
    if (const auto found = operations_.find(event->operation); found != operations_.end()) {
      const OperationRecord& record = found->second;
      const bool write = record.kind == sim::OperationKind::write;
      operation.text = fmt::format("{} {}, begun at {}, ", to_string(record.kind), operation_name(event->operation),
                                   sim::printed(record.begun));
      operation.text += record.ended ? "ended at " + sim::printed(*record.ended) : "not ended";
      if (write || (accesses_memory(record.kind) && record.ended))
        operation.text += fmt::format(", value {:#x}", record.value);
    } else {
      operation.text = fmt::format("{}, on another key or begun before", operation_name(event->operation));
    }
    history.operations.emplace(event->operation, std::move(operation));
  }
  for (const auto& [source, name] : sessions_) history.sessions.push_back(name);
  history.switches = switches_;
  history.registers = registers_;
  for (Register& r : history.registers) {
    std::stable_sort(r.writes.begin(), r.writes.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  }
  return history;
}

}  // namespace racksim::tools::explain
