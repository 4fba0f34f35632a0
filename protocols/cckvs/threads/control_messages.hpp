// What nodes tell each other about keys that come into the caches and go (hand_over.hpp), as it travels.
#pragma once

#include <array>
#include <cstdint>

#include "protocols/cckvs/keys/hand_over_step.hpp"

namespace racksim::cckvs {

struct ControlMessage {
  sim::Key key = 0;
  Stored copy{};
  HandOverMessage message = HandOverMessage::changed;
  bool has_copy = false;

  /// On a wire: the key and what it is, and with a copy its timestamp and value.
  std::uint32_t bytes(std::uint32_t key_bytes, std::uint32_t value_bytes) const {
    constexpr std::uint32_t kMessage = 1, kTimestamp = 5;
    return key_bytes + kMessage + (has_copy ? kTimestamp + value_bytes : 0);
  }
};

/// Those that go together.
struct ControlBatch {
  std::array<ControlMessage, 8> messages{};
  std::uint32_t count = 0;
};

}  // namespace racksim::cckvs
