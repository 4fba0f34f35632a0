// Captures in the classic pcap format (https://www.tcpdump.org/manpages/pcap-savefile.5.html), Ethernet frames without
// their check sequence.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "p4model/language/program.hpp"
#include "sim/kernel/time.hpp"
#include "tools/lone_switch/packet_file.hpp"

namespace racksim::tools {

struct CapturedFrame {
  sim::Time at;
  std::vector<std::uint8_t> bytes{};
};

/// Whether a file begins as a capture does.
bool is_pcap(const std::string& path);

/// Reads a capture of either byte order, with microseconds or nanoseconds. Throws InputError that names the byte where
/// it is none, is of another link type than Ethernet, or is cut.
std::vector<CapturedFrame> read_pcap(const std::string& path);

/// A capture with nanoseconds; what is finer is cut off.
std::string pcap_bytes(std::span<const CapturedFrame> frames);

/// The frames as packets that come in by a port: headers as the program's ingress parser finds them, the rest as
/// payload; `values` are those of its value sets. The first frame comes at once, the others as long after it as they
/// were captured. Throws InputError for a frame without the parser's first header, or too long.
std::vector<SentPacket> packets_of(std::span<const CapturedFrame> frames, const p4::Program& program, unsigned port,
                                   const std::string& file, std::span<const PresetValue> values = {});

}  // namespace racksim::tools
