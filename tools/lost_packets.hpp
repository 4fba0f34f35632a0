// The packets that random loss takes, and the same as faults that name each of them: "the 17th packet from node 2 to
// the switch is dropped". A run with loss so becomes one in which every drop can be left out alone, which shrinking
// does (shrink.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/packet_observer.hpp"
#include "models/rack.hpp"
#include "tools/json_document.hpp"

namespace racksim::tools {

/// A packet that a wire lost at random.
struct LostPacket {
  models::NodeId node = 0;
  bool to_switch = false;
  std::uint64_t number = 1;  ///< on its wire since the run began, from 1
  bool operator==(const LostPacket&) const = default;
};

/// Watches the wires of a rack's nodes.
class LostPackets final : public models::PacketObserver {
 public:
  /// Attach it before the first packet; it must outlive the run.
  void attach(models::Rack& rack);
  /// In the order in which wires took them.
  const std::vector<LostPacket>& list() const { return list_; }

  void on_wire(const p4::Packet& packet, const models::WirePassage& passage) override;
  void dropped(const p4::Packet& packet, sim::Source where, sim::Time at, models::DropReason reason) override;
  void delivered(const p4::Packet&, sim::Source, sim::Time) override {}
  void pass_begins(const p4::Packet&, unsigned, sim::Time, bool) override {}
  void switch_written(const models::SwitchWrite&) override {}

 private:
  std::map<std::uint32_t, LostPacket> wires_;  // by journal source; `number` is that of the latest packet
  std::vector<LostPacket> list_;
};

/// A `drop` for each of them, as the `faults` of a scenario name it.
JsonValue drops_of(const std::vector<LostPacket>& packets);

/// For the way out of a child process, and back.
std::string lost_packets_text(const std::vector<LostPacket>& packets);
std::vector<LostPacket> lost_packets_from_text(const std::string& text);

/// Whether a scenario has faults of kind `noise`, and they do nothing but lose packets. What delays or doubles packets
/// draws from the same random stream: without the losses it would hit others.
bool noise_only_loses(const JsonValue& scenario);
/// The scenario with these faults instead of its noise, after its others.
JsonValue with_noise_replaced(JsonValue scenario, const JsonValue& faults);

}  // namespace racksim::tools
