// Constants of the switch chassis, Tofino-1-like by default (docs/hardware.md 6.1, 6.4, 6.6).
#pragma once

#include <cstdint>

#include "p4model/language/port_number.hpp"
#include "p4model/language/resources.hpp"
#include "sim/kernel/time.hpp"
#include "sim/options/parameters.hpp"

namespace racksim::models {

using namespace sim::literals;

/// How passes are executed. All show the same events at the same instants.
enum class PassMode : std::uint8_t {
  fused,       ///< all stages of a pass in the event of its slot, by generated functions where the program has them
  stepped,     ///< an event per stage, interpreted
  interpreted  ///< as fused, without generated functions
};

struct SwitchOptions {
  static constexpr std::uint64_t kMostPorts = 1024;
  std::uint64_t ports = 32;                 ///< front-panel ports, numbered from 0
  std::uint64_t port_bits = p4::kPortBits;  ///< of a port's number in plain forwarding
  std::uint64_t ports_per_pipe = 16;        ///< port p belongs to pipe p / ports_per_pipe
  /// That pass a front port in each direction, as an InfiniBand switch limits small ones (ccKVS §8.4); 0: no limit. The
  /// server's NIC waits for it as for a slower wire: flow control loses nothing.
  std::uint64_t port_packets_per_second = 0;
  std::uint64_t clock_hz = 1'220'000'000;
  sim::Duration parser_latency = 100_ns;           ///< receiving MAC and parser, per ingress pass
  sim::Duration deparser_latency = 30_ns;          ///< per pass
  sim::Duration traffic_manager_latency = 100_ns;  ///< from ingress deparser to the head of an empty queue
  std::uint64_t recirculation_bits_per_second = 100'000'000'000;
  sim::Duration recirculation_latency = 0_ns;  ///< of the port's loopback, its propagation (hardware.md 7.5)
  std::uint64_t cell_bytes = 80;
  std::uint64_t buffer_cells = 100'000;
  std::uint64_t queue_cells = 20;          ///< each queue may always hold these, while the buffer has room
  double queue_share = 0.8;                ///< and beyond them this share of the free buffer
  std::uint64_t copy_cycles = 1;           ///< between two copies of a multicast packet
  sim::Duration control_latency = 900_ns;  ///< one way between the control CPU and a pipe
  std::uint64_t control_operations_per_second = 1'000'000;
  std::uint64_t control_block_bits_per_second = 31'500'000'000;  ///< of block writes: PCIe 3.0 x4 (hardware.md 6.7)
  std::uint64_t cpu_port_bits_per_second = 10'000'000'000;
  PassMode passes = PassMode::fused;  ///< not declared: how a run is executed, not what hardware it has
  bool skip_idle_passes = false;      ///< not declared either: compute idle passes (idle_ring.hpp), do not run them
  p4::SwitchResources pipe;

  unsigned bits_of_ports() const { return static_cast<unsigned>(port_bits); }
  void declare(sim::Parameters& parameters);
};

}  // namespace racksim::models
