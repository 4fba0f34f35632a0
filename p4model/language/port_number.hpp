// Numbers of ports, as switch programs and multicast groups have them.
#pragma once

#include <cstdint>

namespace racksim::p4 {

/// Bits of a port's number on Tofino (docs/hardware.md 6.1); the model also has larger switches.
inline constexpr unsigned kPortBits = 9;

/// The number that stands for no port, all ones: a packet for it goes nowhere.
constexpr std::uint16_t no_port(unsigned port_bits = kPortBits) {
  return static_cast<std::uint16_t>((1u << port_bits) - 1);
}

}  // namespace racksim::p4
