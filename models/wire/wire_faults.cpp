// Declarations and matching of wire faults. See wire_faults.hpp.
#include "models/wire/wire_faults.hpp"

#include <fmt/core.h>

#include <stdexcept>

#include "models/packets/addressing.hpp"

namespace racksim::models {

using namespace sim::literals;

bool WireFaults::any() const {
  return loss > 0 || burst_enter > 0 || duplicate > 0 || reorder > 0 || spike > 0 || jitter > sim::Duration{};
}

void WireFaults::declare(sim::Parameters& parameters, const std::string& prefix) {
  parameters.ratio(prefix + "loss", loss, "Probability that a packet is lost on a wire.");
  parameters.ratio(prefix + "burst_enter", burst_enter,
                   "Probability, before each packet, that a wire enters its bad state (Gilbert-Elliott).");
  parameters.ratio(prefix + "burst_leave", burst_leave,
                   "Probability, before each packet, that a wire leaves its bad state.");
  parameters.ratio(prefix + "burst_loss", burst_loss, "Probability that a packet is lost in the bad state.");
  parameters.ratio(prefix + "duplicate", duplicate, "Probability that a packet arrives twice.");
  parameters.ratio(prefix + "reorder", reorder,
                   "Probability that a packet is held back so that later ones overtake it.");
  parameters.length(prefix + "reorder_delay", reorder_delay, 1_ps, 1_s, "Longest time that a packet is held back.");
  parameters.ratio(prefix + "spike", spike, "Probability, for each packet, that its wire stalls.");
  parameters.length(prefix + "spike_delay", spike_delay, 0_ps, 1_s, "How long a stall of a wire lasts.");
  parameters.length(prefix + "jitter", jitter, 0_ps, 1_s, "Largest random delay of each packet; order is kept.");
}

bool PacketMatch::matches(const p4::Packet& packet) const {
  if (origins) {
    const NodeId origin = origin_of(packet.serial);  // the control CPU is none of the nodes, and on no side
    if (origin >= origins->size() || !origins->test(origin)) return false;
  }
  if (header.empty()) return true;
  for (std::size_t h = 0; h < packet.header_count(); ++h) {
    const auto& layout = packet.layout(h);
    if (layout.name != header) continue;
    for (const auto& [field, value] : fields) {
      std::size_t f = 0;
      while (f < layout.count && layout.fields[f].name != field) ++f;
      if (f == layout.count) throw std::runtime_error(fmt::format("header '{}' has no field '{}'", header, field));
      if (packet.word(h, f) != value) return false;
    }
    return true;
  }
  return false;
}

}  // namespace racksim::models
