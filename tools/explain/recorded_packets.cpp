// Packets and register writes, turned into events. See recorder.hpp.
#include <fmt/core.h>

#include "models/switch/control_cpu.hpp"
#include "p4model/language/headers.hpp"
#include "tools/explain/recorder.hpp"

namespace racksim::tools::explain {

namespace {

using Type = Event::Type;

/// Objects from here on are tables in the event log's records of switch state.
constexpr std::uint32_t kTables = std::uint32_t{1} << 31;

/// For a protocol that does not describe its packets: the headers inside UDP.
std::string generic_label(const p4::Packet& packet) {
  std::string label;
  for (std::size_t i = 0; i < packet.header_count(); ++i) {
    const auto& layout = packet.layout(i);
    if (&layout == &p4::Ethernet::kLayout || &layout == &p4::Ipv4::kLayout || &layout == &p4::Udp::kLayout) continue;
    label += std::string(layout.name) + ' ';
  }
  if (label.empty()) label = "packet ";
  return fmt::format("{}({} bytes)", label, packet.frame_bytes());
}

}  // namespace

// Packets.

std::optional<models::PacketDescription> Recorder::concerning(const p4::Packet& packet, bool named, bool befell) const {
  const bool by_operation = operations_.contains(packet.operation);
  auto description = protocol_->describe(packet);
  if (!description) description = models::PacketDescription{generic_label(packet), {}, "", "", false};
  const bool of_key = description->key ? *description->key == filter_.key : by_operation;
  if (!of_key && !named) return std::nullopt;
  if (description->part && !befell) return std::nullopt;
  if (!of_key && description->key) description->label += " of " + sim::printed_key(sim::Key{*description->key});
  return description;
}

const Recorder::Part* Recorder::part_of(sim::Source source) const {
  const auto found = parts_.find(source.index);
  return found == parts_.end() ? nullptr : &found->second;
}

std::string Recorder::sender(const models::PacketDescription& description, const Part* part) const {
  if (part == nullptr) return "switch";
  if (part->role != Part::Role::uplink) return part->from;
  return description.from.empty() ? node_name(part->node) : description.from;
}

std::string Recorder::receiver(const models::PacketDescription& description, const Part* part) const {
  if (part == nullptr) return "switch";
  if (!part->to.empty()) return part->to;
  // What the switch sends to its control CPU may be a copy of somebody's packet to another.
  if (models::is_control_cpu(part->node) || description.to.empty()) return node_name(part->node);
  return description.to;
}

// Drawn where it set out, since it came nowhere: `due` then, if nothing more happens to it.
void Recorder::let_under_way(Event& event, std::optional<sim::Time> due) {
  event.type = Type::under_way;
  event.at = event.sent;
  event.add_note(due ? "under way, due at " + sim::printed(*due) : "under way");
}

void Recorder::on_wire(const p4::Packet& packet, const models::WirePassage& passage) {
  if (passage.start > filter_.until || (filter_.from && passage.arrival < *filter_.from)) return;
  const bool under_way = passage.arrival > filter_.until;
  const auto description = concerning(packet, passage.named, passage.named);
  if (!description) return;
  const Part* part = part_of(passage.wire);
  Event event;
  event.type = Type::message;
  event.at = passage.arrival;
  event.sent = passage.start;
  // A wire that is nobody's else is a switch's recirculation port.
  event.from = part != nullptr ? sender(*description, part) : switch_at(passage.wire);
  event.to = part != nullptr ? receiver(*description, part) : event.from;
  event.text = description->label;
  event.operation = packet.operation;
  if (passage.copy) event.add_note("duplicate made by the wire");
  if (passage.held > sim::Duration{}) event.add_note("held back");
  if (passage.named && passage.stalled > sim::Duration{}) event.add_note("late with what is behind it");
  event.named = passage.named && ++named_ <= kNamed;
  if (under_way) let_under_way(event, passage.arrival);
  const bool apart = under_way || event.named;
  in_flight_[{passage.wire.index, &packet}] = {packet.serial,
                                               apart ? add_apart(std::move(event)) : add(std::move(event))};
}

void Recorder::dropped(const p4::Packet& packet, sim::Source where, sim::Time at, models::DropReason reason) {
  if (at > filter_.until || (filter_.from && at < *filter_.from)) return;
  const Part* part = part_of(where);
  const std::string why = reason == models::DropReason::switch_program
                              ? "dropped by the switch's program"
                              : "lost: " + std::string(models::to_string(reason));
  // A message that is charted already, because it was on its way. Other losses of wires happen before that.
  const bool at_nic = part != nullptr && part->role == Part::Role::nic;
  if (at_nic || reason == models::DropReason::wire_down) {
    if (Event* event = landed(at_nic ? part->downlink : where, packet)) {
      event->type = Type::lost;
      event->at = at;
      event->add_note(why);
      return;
    }
  }
  const bool named = reason == models::DropReason::targeted;
  const auto description = concerning(packet, named, true);
  if (!description) return;
  Event event;
  event.type = Type::lost;
  event.at = event.sent = at;
  event.text = description->label;
  event.note = why;
  event.operation = packet.operation;
  if (part == nullptr) {
    event.from = switch_at(where);
  } else if (part->role == Part::Role::nic) {
    event.from = receiver(*description, part);
  } else {
    event.from = sender(*description, part);
    event.to = receiver(*description, part);
  }
  event.named = named && ++named_ <= kNamed;
  if (event.named) {
    add_apart(std::move(event));
  } else {
    add(std::move(event));
  }
}

void Recorder::delivered(const p4::Packet& packet, sim::Source nic, sim::Time at) {
  const Part* part = part_of(nic);
  if (part == nullptr) return;
  if (Event* event = landed(part->downlink, packet)) {
    if (at > filter_.until) {
      if (event->type == Type::message) let_under_way(*event, {});
      return;
    }
    event->at = at;
    last_receiver_[part->node] = event->to;
  }
}

// The switch.

void Recorder::pass_begins(const p4::Packet& packet, unsigned, sim::Time at, bool resubmitted) {
  if (at > filter_.until || (filter_.from && at < *filter_.from)) return;
  const auto description = concerning(packet, false, false);
  if (!description) return;
  passes_[packet.serial].reset();
  if (!resubmitted) return;
  Event event;
  event.type = Type::second_pass;
  event.at = event.sent = at;
  event.from = "switch";
  event.text = description->label + ", second pass";
  event.operation = packet.operation;
  add(std::move(event));
}

void Recorder::switch_written(const models::SwitchWrite& write) {
  if (write.at > filter_.until) return;
  // The control plane may have given the key a row, or its row to another key.
  if (write.packet_serial == 0) name_registers();
  if (write.object >= kTables) return;
  const unsigned pipe = first_pipes_.at(write.network_switch) + write.pipe;
  p4::RegisterFile& shadow = shadows_.at(pipe);
  const std::uint64_t before = shadow.read(write.object, write.index);
  shadow.write(write.object, write.index, write.value);
  const RegisterAt where{pipe, std::uint64_t{write.object} << 32 | write.index};
  if (filter_.from && write.at < *filter_.from) {
    // Before the window: where the registers stand when it begins.
    const auto known = register_numbers_.find(where);
    if (known != register_numbers_.end()) registers_[known->second].writes.emplace_back(write.at, write.value);
    return;
  }
  auto pass = write.packet_serial != 0 ? passes_.find(write.packet_serial) : passes_.end();
  auto number = register_numbers_.find(where);
  if (number == register_numbers_.end()) {
    if (named_by_protocol_ || pass == passes_.end()) return;
    const auto& array = rack_->chassis(write.network_switch).pipeline(write.pipe).program().arrays().at(write.object);
    number = register_numbers_.emplace(where, registers_.size()).first;
    registers_.push_back({fmt::format("{}[{}]", array.name, write.index), "", "", nullptr, before, {}});
  }
  Register& changed = registers_[number->second];
  changed.writes.emplace_back(write.at, write.value);
  const bool of_key = of_key_.contains(where);
  if (pass == passes_.end() && !of_key) return;
  const std::string text =
      fmt::format("{} {} → {}", changed.name, changed.printed(before), changed.printed(write.value));
  if (pass != passes_.end() && pass->second) {
    if (Event* event = find(*pass->second)) {
      event->text += ", " + text;
      return;
    }
  }
  if (of_key) {
    keep_around_next();
    turn_ = next_;
  }
  Event event;
  event.type = Type::switch_state;
  event.at = event.sent = write.at;
  event.from = switches_.at(write.network_switch);
  event.text = text;
  if (write.packet_serial == 0) event.note = "by the control plane";
  const EventNumber added = add(std::move(event));
  if (pass != passes_.end()) pass->second = added;
}

}  // namespace racksim::tools::explain
