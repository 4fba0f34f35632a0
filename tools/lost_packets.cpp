// See lost_packets.hpp.
#include "tools/lost_packets.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace racksim::tools {
namespace {

bool is_noise(const JsonValue& fault) {
  const auto* kind = fault.find("kind");
  return kind && kind->string() && *kind->string() == "noise";
}

bool only_loses(const JsonValue& noise) {
  constexpr std::array<std::string_view, 9> kKeys{"kind", "from",        "until",       "node",      "direction",
                                                  "loss", "burst_enter", "burst_leave", "burst_loss"};
  return std::all_of(noise.members()->begin(), noise.members()->end(), [&](const auto& member) {
    return std::find(kKeys.begin(), kKeys.end(), member.key) != kKeys.end();
  });
}

}  // namespace

void LostPackets::attach(models::Rack& rack) {
  for (std::size_t n = 0; n < rack.nodes(); ++n) {
    const auto node = static_cast<models::NodeId>(n);
    wires_[rack.uplink(node).source().index] = {node, true, 0};
    wires_[rack.downlink(node).source().index] = {node, false, 0};
  }
  rack.context().packet_observer = this;
}

void LostPackets::on_wire(const p4::Packet&, const models::WirePassage& passage) {
  const auto wire = wires_.find(passage.wire.index);
  if (wire != wires_.end() && !passage.copy) ++wire->second.number;
}

void LostPackets::dropped(const p4::Packet&, sim::Source where, sim::Time, models::DropReason reason) {
  // A wire that is down loses what has begun its way: that has been counted, and speaks as another source.
  const auto wire = wires_.find(where.index);
  if (wire == wires_.end()) return;
  ++wire->second.number;
  if (reason == models::DropReason::loss || reason == models::DropReason::burst_loss) list_.push_back(wire->second);
}

JsonValue drops_of(const std::vector<LostPacket>& packets) {
  JsonValue faults = JsonValue::array();
  for (const LostPacket& packet : packets) {
    JsonValue& fault = faults.push(JsonValue::object());
    fault.set("kind", "drop");
    fault.set("node", static_cast<unsigned>(packet.node));
    fault.set("direction", packet.to_switch ? "to_switch" : "from_switch");
    fault.set("first", packet.number);
  }
  return faults;
}

std::string lost_packets_text(const std::vector<LostPacket>& packets) {
  JsonValue rows = JsonValue::array();
  for (const LostPacket& packet : packets) {
    JsonValue& row = rows.push(JsonValue::array());
    row.push(static_cast<unsigned>(packet.node));
    row.push(packet.to_switch);
    row.push(packet.number);
  }
  return to_canonical_json(rows);
}

std::vector<LostPacket> lost_packets_from_text(const std::string& text) {
  std::vector<LostPacket> packets;
  const JsonValue rows = parse_json(text, "losses of a trial");
  for (const JsonValue& row : *rows.elements()) {
    const auto& cells = *row.elements();
    packets.push_back(
        {static_cast<models::NodeId>(cells[0].natural().value()), *cells[1].boolean(), cells[2].natural().value()});
  }
  return packets;
}

bool noise_only_loses(const JsonValue& scenario) {
  const auto* faults = scenario.find("faults");
  if (!faults || !faults->elements()) return false;
  const auto& all = *faults->elements();
  return std::any_of(all.begin(), all.end(), is_noise) &&
         std::all_of(all.begin(), all.end(),
                     [](const JsonValue& fault) { return !is_noise(fault) || only_loses(fault); });
}

JsonValue with_noise_replaced(JsonValue scenario, const JsonValue& faults) {
  JsonValue all = JsonValue::array();
  if (const auto* others = scenario.find("faults"); others && others->elements()) {
    for (const auto& fault : *others->elements()) {
      if (!is_noise(fault)) all.push(fault);
    }
  }
  for (const auto& fault : *faults.elements()) all.push(fault);
  scenario.set("faults", std::move(all));
  return scenario;
}

}  // namespace racksim::tools
