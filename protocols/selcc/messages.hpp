// What compute nodes tell each other about lines (SELCC §5.1, Figure 8). Memory servers get no messages at all.
//
// An invalidation is a SEND into the receiver's ring; its answer a WRITE into the sender's buffer: a flag, and the line
// in front of it where it is given. The published code's flag is one byte, in which a late answer cannot be told
// from the one that is waited for; here it is a word with the number of its request.
#pragma once

#include <cstdint>
#include <string_view>

#include "models/packets/rack_context.hpp"
#include "protocols/latched_memory/line_data.hpp"
#include "sim/record/ids.hpp"

namespace racksim::selcc {

using latched_memory::ObjectRange;

/// Which conflict an invalidation is to resolve (§4.4).
enum class Case : std::uint8_t {
  writer_against_modified = 1,  ///< case 1
  reader_against_modified,      ///< case 2
  writer_against_shared         ///< case 3
};

struct Invalidation {
  static constexpr std::uint32_t kWireBytes = 64;

  sim::Key line;
  std::uint64_t number = 0;  ///< of the request, not used twice by its sender
  models::NodeId sender = 0;
  Case conflict{};
  std::uint8_t priority = 0;       ///< grows with the sender's retries (§5.3.2)
  bool tries = false;              ///< a try-lock's: who uses the line, or is about to, says so at once
  sim::OperationId operation = 0;  ///< that causes it, for the record
};

enum class Verdict : std::uint8_t {
  given,     ///< the line comes with it
  released,  ///< the receiver has given up the line: try again
  busy,      ///< dropped: in local use, or the sender's priority does not do
  gone,      ///< dropped: the receiver does not hold the line as the sender thinks
  landed     ///< no answer but a confirmation: the giver's atomic has changed the word
};

struct Answer {
  static constexpr std::uint32_t kWireBytes = 8;

  sim::Key line;
  std::uint64_t number = 0;  ///< of the request
  ObjectRange dirty{};       ///< of a line that is given Modified: what memory does not have
  Verdict verdict{};
};

constexpr std::string_view to_string(Verdict verdict) {
  // clang-format off
  switch (verdict) {
    case Verdict::given:    return "GIVEN";
    case Verdict::released: return "RELEASED";
    case Verdict::busy:     return "BUSY";
    case Verdict::gone:     return "GONE";
    case Verdict::landed:   return "CONFIRMED";
  }
  // clang-format on
  return {};
}

}  // namespace racksim::selcc
