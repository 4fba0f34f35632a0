// What random noise did to the packets of a run, and the same as faults that name each packet: "the 17th packet from
// node 2 to the switch is lost". A noisy run so becomes one in which every drop, delay and copy can be left out alone,
// which shrinking does (shrink.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/packets/packet_observer.hpp"
#include "models/rack/rack.hpp"
#include "tools/json/json_document.hpp"

namespace racksim::tools {

/// One thing that noise did.
struct NoiseEffect {
  enum class Fault : std::uint8_t {
    drop,
    hold,      ///< this packet alone was late
    stall,     ///< this packet was late, and those behind it waited
    duplicate  ///< a second copy followed
  };
  Fault fault = Fault::drop;
  models::NodeId node = 0;
  bool to_switch = false;
  std::uint64_t packet = 1;  ///< its number on its wire since the run began, from 1
  sim::Duration delay;       ///< of a hold or stall; of a copy how much later than right behind the packet
  bool operator==(const NoiseEffect&) const = default;
};

/// The first so many effects are kept. A run that has gone wrong may go on for long, under the same noise, before it is
/// seen: the cause is among the first.
inline constexpr std::size_t kMostNoiseEffects = 2'000;

/// Watches the wires of a rack's nodes and keeps what noise does to their packets, in the order in which they take
/// them.
class NoiseLog final : public models::PacketObserver {
 public:
  /// Attach it before the first packet; it must outlive the run.
  void attach(models::Rack& rack);
  const std::vector<NoiseEffect>& effects() const { return effects_; }

  void on_wire(const p4::Packet& packet, const models::WirePassage& passage) override;
  void dropped(const p4::Packet& packet, sim::Source where, sim::Time at, models::DropReason reason) override;
  void delivered(const p4::Packet&, sim::Source, sim::Time) override {}
  void pass_begins(const p4::Packet&, unsigned, sim::Time, bool) override {}
  void switch_written(const models::SwitchWrite&) override {}

 private:
  struct WireEnd {
    models::NodeId node = 0;
    bool to_switch = false;
    std::uint64_t packets = 0;  ///< that it has taken, lost ones included
  };
  void add(NoiseEffect::Fault fault, const WireEnd& wire, sim::Duration delay);

  std::map<std::uint32_t, WireEnd> wires_;  // by event source
  std::vector<NoiseEffect> effects_;
};

/// The effects as the `faults` of a scenario, in their order.
JsonValue faults_of(const std::vector<NoiseEffect>& effects);

/// For the way out of a child process, and back.
std::string noise_text(const std::vector<NoiseEffect>& effects);
std::vector<NoiseEffect> noise_from_text(const std::string& text);

/// Whether a scenario has a fault of kind `noise`.
bool is_noisy(const JsonValue& scenario);
/// The scenario with these effects, as faults, instead of its noise, after its other faults. The schedule's jitter goes
/// too: it is drawn for the same wires from the same random numbers, so that the log has it.
JsonValue with_noise_replaced(JsonValue scenario, const std::vector<NoiseEffect>& effects);

}  // namespace racksim::tools
