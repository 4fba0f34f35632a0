// Frames of a capture as packets that come into a switch.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "p4model/language/program.hpp"
#include "tools/lone_switch/capture.hpp"
#include "tools/lone_switch/packet_file.hpp"

namespace racksim::tools {

/// The capture's frames as packets that come by a port: headers as the program's ingress parser finds them, the rest as
/// payload; `values` are those of its value sets. Frames in which it finds no header, or whose headers were not captured
/// whole, are skipped, which the capture's remarks then say. Throws InputError if none is left.
std::vector<SentPacket> packets_of(Capture& capture, const p4::Program& program, unsigned port, const std::string& file,
                                   std::span<const PresetValue> values = {});

}  // namespace racksim::tools
