// See noise_log.hpp.
#include "tools/fuzz/noise_log.hpp"

#include <algorithm>
#include <array>

#include "tools/text/units.hpp"

namespace racksim::tools {
namespace {

using Fault = NoiseEffect::Fault;

bool is_noise_fault(const JsonValue& fault) {
  const auto* kind = fault.find("kind");
  return kind && kind->string() && *kind->string() == "noise";
}

}  // namespace

void NoiseLog::attach(models::Rack& rack) {
  for (std::size_t n = 0; n < rack.nodes(); ++n) {
    const auto node = static_cast<models::NodeId>(n);
    wires_[rack.uplink(node).source().index] = {node, true, 0};
    wires_[rack.downlink(node).source().index] = {node, false, 0};
  }
  rack.context().add_packet_observer(*this);
}

void NoiseLog::on_wire(const p4::Packet&, const models::WirePassage& passage) {
  const auto wire = wires_.find(passage.wire.index);
  if (wire == wires_.end()) return;
  if (passage.copy) {
    add(Fault::duplicate, wire->second, passage.held);
    return;
  }
  ++wire->second.packets;
  if (passage.stalled > sim::Duration{}) add(Fault::stall, wire->second, passage.stalled);
  if (passage.held > sim::Duration{}) add(Fault::hold, wire->second, passage.held);
}

void NoiseLog::dropped(const p4::Packet&, sim::Source where, sim::Time, models::DropReason reason) {
  // A wire that is down loses what has begun its way: that has been counted, and speaks as another source.
  const auto wire = wires_.find(where.index);
  if (wire == wires_.end()) return;
  ++wire->second.packets;
  if (reason == models::DropReason::loss || reason == models::DropReason::burst_loss) {
    add(Fault::drop, wire->second, {});
  }
}

void NoiseLog::add(Fault fault, const WireEnd& wire, sim::Duration delay) {
  if (effects_.size() < kMostNoiseEffects) effects_.push_back({fault, wire.node, wire.to_switch, wire.packets, delay});
}

JsonValue faults_of(const std::vector<NoiseEffect>& effects) {
  constexpr std::array kKinds{"drop", "hold", "hold", "duplicate"};
  JsonValue faults = JsonValue::array();
  for (const NoiseEffect& effect : effects) {
    JsonValue& fault = faults.push(JsonValue::object());
    fault.set("kind", kKinds[static_cast<std::size_t>(effect.fault)]);
    fault.set("node", static_cast<unsigned>(effect.node));
    fault.set("direction", effect.to_switch ? "to_switch" : "from_switch");
    fault.set("first", effect.packet);
    if (effect.fault != Fault::drop) fault.set("delay", format_length(effect.delay));
    if (effect.fault == Fault::stall) fault.set("in_order", true);
  }
  return faults;
}

std::string noise_text(const std::vector<NoiseEffect>& effects) {
  JsonValue rows = JsonValue::array();
  for (const NoiseEffect& effect : effects) {
    JsonValue& row = rows.push(JsonValue::array());
    row.push(static_cast<int>(effect.fault));
    row.push(static_cast<unsigned>(effect.node));
    row.push(effect.to_switch);
    row.push(effect.packet);
    row.push(effect.delay.ps());
  }
  return to_canonical_json(rows);
}

std::vector<NoiseEffect> noise_from_text(const std::string& text) {
  std::vector<NoiseEffect> effects;
  const JsonValue rows = parse_json(text, "noise of a trial");
  for (const JsonValue& row : *rows.elements()) {
    const auto& cells = *row.elements();
    const auto number = [&](std::size_t i) { return cells[i].natural().value(); };
    effects.push_back({static_cast<Fault>(number(0)), static_cast<models::NodeId>(number(1)), *cells[2].boolean(),
                       number(3), sim::Duration::from_ps(static_cast<std::int64_t>(number(4)))});
  }
  return effects;
}

bool is_noisy(const JsonValue& scenario) {
  const auto* faults = scenario.find("faults");
  return faults && faults->elements() &&
         std::any_of(faults->elements()->begin(), faults->elements()->end(), is_noise_fault);
}

JsonValue with_noise_replaced(JsonValue scenario, const std::vector<NoiseEffect>& effects) {
  JsonValue all = JsonValue::array();
  if (const auto* others = scenario.find("faults"); others && others->elements()) {
    for (const auto& fault : *others->elements()) {
      if (!is_noise_fault(fault)) all.push(fault);
    }
  }
  const JsonValue named = faults_of(effects);
  for (const auto& fault : *named.elements()) all.push(fault);
  scenario.set("faults", std::move(all));
  auto* run = scenario.find("run");
  if (auto* schedule = run ? run->find("schedule") : nullptr) {
    schedule->erase("jitter");
    if (schedule->members() && schedule->members()->empty()) run->erase("schedule");
  }
  return scenario;
}

}  // namespace racksim::tools
