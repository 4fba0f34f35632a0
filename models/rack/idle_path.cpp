// The sum of what a packet meets on its way. See idle_path.hpp.
#include "models/rack/idle_path.hpp"

#include "models/switch/switch_timing.hpp"
#include "models/wire/wire.hpp"
#include "p4model/execute/forwarding.hpp"
#include "p4model/execute/pipeline.hpp"
#include "p4model/language/headers.hpp"

namespace racksim::models {
namespace {

constexpr std::uint32_t kFrame = 64, kInMemory = kFrame - p4::kFcsBytes, kOnWire = kFrame + p4::kPreambleAndGapBytes;

sim::Duration bytes_at(std::uint32_t bytes, std::uint64_t bits_per_second) {
  return sim::transmission_time(std::int64_t{8} * bytes, static_cast<std::int64_t>(bits_per_second));
}

sim::Duration through_nics(const NicOptions& nic) {
  const sim::Duration over_pcie = bytes_at(kInMemory, nic.pcie_bits_per_second);
  const bool is_inline = kInMemory <= nic.inline_bytes;
  const sim::Duration fetch = is_inline ? sim::Duration{} : nic.pcie_latency * 2 + over_pcie;
  return nic.pcie_latency + fetch + nic.transmit_latency + nic.receive_latency + over_pcie + nic.pcie_latency;
}

sim::Duration through_switch(const SwitchOptions& options) {
  SwitchTiming timing(options);
  timing.use(p4::Pipeline(p4::make_forwarding_program(options.bits_of_ports()).program, options.pipe));
  return timing.ingress_latency() + timing.traffic_manager_latency() + timing.egress_latency();
}

}  // namespace

sim::Duration idle_round_trip_beside_switch(const RackOptions& rack) {
  const bool infiniband = rack.link_framing == Framing::infiniband;
  const std::uint32_t on_wire = kOnWire - (infiniband ? Wire::kSavedByInfiniband : 0);
  const sim::Duration over_link = bytes_at(on_wire, rack.link_bits_per_second) + rack.link_propagation;
  return (through_nics(rack.nic) + over_link * 2 + rack.cpu.receive + rack.cpu.poll) * 2;
}

sim::Duration idle_round_trip(const RackOptions& rack) {
  return idle_round_trip_beside_switch(rack) + through_switch(rack.network_switch) * 2;
}

}  // namespace racksim::models
