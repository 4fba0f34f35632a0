// What a verb is for whose completion is told.
#pragma once

#include <cstdint>

#include "models/packets/rack_context.hpp"
#include "sim/record/ids.hpp"

namespace racksim::selcc {

struct Call;

enum class Purpose : std::uint8_t {
  latch_word,   ///< the atomic of an upgrade
  latch_line,   ///< the READ of another latch operation, behind its atomic
  undo,         ///< of a failed reader's bit, which nobody waits for
  undo_waited,  ///< the same, which its thread waits for
  fall_back,    ///< the release of a share that is to be upgraded
  release,      ///< of a share or of a line evicted
  hand_over,    ///< of a Modified line to another writer
  share,        ///< of a Modified line with a reader
  forward,      ///< the line itself
  take_out,     ///< of dead nodes from a word
  call,         ///< somebody waits for just this
  evict         ///< the last verb of an eviction, whose ring slots are free then
};

/// What a completion is about.
struct Posted {
  Purpose purpose{};
  sim::Key line = 0;
  models::NodeId peer = 0;   ///< of hand_over and share
  std::uint64_t number = 0;  ///< of the request that is granted; of take_out, the word that was found
  std::uint32_t slots = 0;   ///< of the copy-out ring
  sim::OperationId operation = 0;
  Call* call = nullptr;
};

}  // namespace racksim::selcc
