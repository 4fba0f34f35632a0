// What nodes tell each other about keys that come into the caches and go (hand_over.hpp), and the coordinator's orders.
#pragma once

#include <array>
#include <cstdint>

#include "protocols/cckvs/keys/hand_over.hpp"

namespace racksim::cckvs {

struct ControlMessage {
  enum class Kind : std::uint8_t {
    order_install,  ///< the coordinator to the key's home
    order_evict,
    changed,  ///< and back: the change is over, and has reached all
    install,  ///< the home to the others
    activate,
    seal,
    done,
    installed,  ///< and back
    sealed
  };

  sim::Key key = 0;
  Stored copy{};
  Kind kind = Kind::changed;
  bool has_copy = false;

  /// On a wire: the key and what it is, and with a copy its timestamp and value.
  std::uint32_t bytes(std::uint32_t key_bytes, std::uint32_t value_bytes) const {
    constexpr std::uint32_t kKind = 1, kTimestamp = 5;
    return key_bytes + kKind + (has_copy ? kTimestamp + value_bytes : 0);
  }
};

/// As a chart has it.
constexpr const char* name_of(ControlMessage::Kind kind) {
  constexpr std::array kNames{"order INSTALL", "order EVICT", "CHANGED",   "INSTALL", "ACTIVATE",
                              "SEAL",          "DONE",        "INSTALLED", "SEALED"};
  return kNames[static_cast<std::size_t>(kind)];
}

/// Those that go together.
struct ControlBatch {
  std::array<ControlMessage, 8> messages{};
  std::uint32_t count = 0;
};

}  // namespace racksim::cckvs
