// Small machines with store buffers, as the manuals describe them: what they do is the model. They run random programs
// and tell what happened, instant by instant. Some are broken.
#pragma once

#include <cstdint>

#include "sim/oracles/memory_model_oracle.hpp"
#include "sim/random/random.hpp"
#include "tests/sim/oracles/stories.hpp"

namespace racksim::sim {

/// What is wrong with a machine.
enum class Bug : std::uint8_t {
  none,
  reordered,      ///< any write leaves the buffer first
  weak_fence,     ///< a fence does not wait for the buffer
  weak_lock,      ///< a lock or an unlock does not
  weak_atomic,    ///< an atomic operation does not
  no_forwarding,  ///< a read does not look into its session's buffer
  leaky_buffer,   ///< a read looks into another session's
  stale_read,     ///< a read returns what memory held before
  lost_write,     ///< a write leaves its buffer without being performed
  torn_atomic,    ///< memory changes between the read and the write of an atomic operation
};

/// A machine and its programs.
struct Machine {
  MemoryModel model{};
  Bug bug = Bug::none;
  std::uint32_t sessions = 3;
  std::uint64_t operations = 8;  ///< of all sessions, unlocks at the end not counted
  std::uint64_t keys = 2;
  bool atomics = true, fences = true, locks = false;
  std::uint32_t width = 1;  ///< operations that a session may have under way at once; needs a machine without locks
  double drain = 0.2;       ///< how likely a step drains a buffer
};

/// A run of the machine on a random program. Written values are 1, 2, ... in the order of their beginnings.
Story random_story(const Machine& machine, RandomStream& random);

}  // namespace racksim::sim
