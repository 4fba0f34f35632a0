// What a protocol may tell about its packets and its switch state, for charts of a run (`racksim explain`).
//
// Both are optional: without them a chart shows headers' names and what the switch program wrote.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace racksim::models {

/// The party that the switch's control CPU is, as sender and receiver of packets (models/switch/control_cpu.hpp).
inline constexpr const char* kControllerParty = "controller";

/// What a packet means to its protocol.
struct PacketDescription {
  std::string label;                 ///< "READ-MISS seq 3"
  std::optional<std::uint64_t> key;  ///< the block or key that it is about, if it says
  /// Who sent it and who is to get it: the node, then the part ("n2.t1", "n0.home"); empty for just the node. On the
  /// way to the switch only `from` counts, on the way from it only `to`.
  std::string from, to;
  bool part = false;  ///< a piece of a longer message: charted only if it is lost
};

/// A register of the switch that holds something about a key.
struct SwitchRegister {
  unsigned pipe = 0;
  std::string array;
  std::uint64_t index = 0;
  std::string meaning;  ///< what it holds: "lock of the block"
  std::string party;    ///< of whom it speaks: shown only if the chart does too; empty for the key itself
  /// A value as people read it; null for a plain number.
  std::string (*print)(std::uint64_t value) = nullptr;
  unsigned network_switch = 0;
};

}  // namespace racksim::models
