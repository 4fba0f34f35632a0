// What the packet generator puts in front of each of its packets (TNA; models/hardware.md 6.6).
#pragma once

#include "p4model/language/header.hpp"

namespace racksim::p4 {

/// Six bytes: which application of which pipe sent the packet, and which of its batches and packets it is.
struct GeneratedPacket {
  std::uint64_t padding = 0, pipe = 0, app = 0, reserved = 0, batch = 0, packet = 0;
  static constexpr HeaderLayout kLayout{
      "generated", {{"padding", 3}, {"pipe", 2}, {"app", 3}, {"reserved", 8}, {"batch", 16}, {"packet", 16}}};
};

}  // namespace racksim::p4
