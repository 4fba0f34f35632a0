// What the packet generator puts in front of each of its packets (TNA; docs/hardware.md 6.6).
#pragma once

#include "p4model/language/header.hpp"

namespace racksim::p4 {

/// Six bytes: which application of which pipe sent the packet, and which of its batches and packets it is. In place of
/// the batch there is the port that went down, or, with `key_msb` above it, 24 bits of the recirculated packet, where
/// one of these was the trigger.
struct GeneratedPacket {
  std::uint64_t padding = 0, pipe = 0, app = 0, key_msb = 0, batch = 0, packet = 0;
  static constexpr HeaderLayout kLayout{
      "generated", {{"padding", 3}, {"pipe", 2}, {"app", 3}, {"key_msb", 8}, {"batch", 16}, {"packet", 16}}};
};

}  // namespace racksim::p4
