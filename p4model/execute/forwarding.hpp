// Plain forwarding: by destination MAC address, else by destination IPv4 address, else the packet is dropped.
//
// Other programs embed it: they call `append_forwarding` where their own tables have let a packet through. Alone it
// also forwards to multicast groups; a program with groups of its own says itself which of them are whose.
#pragma once

#include <cstdint>
#include <memory>

#include "p4model/language/field.hpp"
#include "p4model/language/forward.hpp"
#include "p4model/language/port_number.hpp"

namespace racksim::p4 {

/// The two tables, for the control plane. A packet that misses both, or misses `by_mac` and is not IPv4, is dropped;
/// the pipeline counts both misses and drops.
struct Forwarding {
  const Table* by_mac;
  const Table* by_ip;
  const Action* to_port;  ///< takes the port as its only value
};

/// How many hosts the tables hold.
inline constexpr std::uint32_t kForwardingEntries = 4096;

/// States "ethernet", "ipv4" and "udp" that parse what is there of them.
void append_forwarding_parser(Program& program, Gress gress);

/// Tables "forward_by_mac", "forward_by_ip" and "forward_drop" at the end of `block`. The program must parse Ethernet
/// and IPv4.
Forwarding append_forwarding(Program& program, Block& block);

/// A program that does nothing else, for a switch whose ports have numbers of so many bits, and whose table `by_mac` has a second action, "forward_to_group": a copy for each
/// member of the multicast group that is its only value, but for those that the L2 exclusion of the port by which the
/// packet came leaves out.
struct ForwardingProgram {
  std::shared_ptr<const Program> program;
  Forwarding forwarding;
  const Action* to_group;
};
ForwardingProgram make_forwarding_program(unsigned port_bits = kPortBits);

}  // namespace racksim::p4
