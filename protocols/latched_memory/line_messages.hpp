// The packets of verbs on lines as cost tables count them (models/service/cost_table.hpp).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "models/packets/rdma_headers.hpp"
#include "models/service/cost_table.hpp"
#include "p4model/language/packet.hpp"
#include "protocols/latched_memory/line_layout.hpp"

namespace racksim::latched_memory {

/// Verbs to memory servers, and what these answer. SENDs and WRITEs to compute nodes are for protocols to name.
enum class LineMessage : std::size_t { swap, add, found, read, read_word, line, rest, write, count };

/// In the order of LineMessage.
inline std::vector<std::string> line_messages() {
  return {"CAS", "FAA", "atomic answer", "READ", "READ of a word", "line", "rest of a message", "WRITE"};
}

/// Which a packet is: of a message of several packets the first counts, of the others all are `rest`.
inline std::optional<LineMessage> line_message_of(const p4::Packet& packet) {
  const auto* bth = packet.find<models::Bth>();
  if (bth == nullptr) return std::nullopt;
  switch (const auto opcode = static_cast<models::RcOpcode>(bth->opcode)) {
    case models::RcOpcode::compare_swap:
      return LineMessage::swap;
    case models::RcOpcode::fetch_add:
      return LineMessage::add;
    case models::RcOpcode::atomic_acknowledge:
      return LineMessage::found;
    case models::RcOpcode::read_request:
      return packet.get<models::Reth>().length == LineLayout::kWordBytes ? LineMessage::read_word : LineMessage::read;
    default:
      if (models::is_read_response(opcode)) return is_first(opcode) ? LineMessage::line : LineMessage::rest;
      if (models::is_write(opcode)) return is_first(opcode) ? LineMessage::write : LineMessage::rest;
      return std::nullopt;
  }
}

/// What holds of verbs by themselves: each is answered once, and a READ brings a line at most.
inline std::vector<models::CostRow> rows_of_verbs(std::uint64_t stored_bytes) {
  return {{.what = "an atomic is answered once",
           .section = "verbs",
           .cost = "sent atomic answer",
           .per = "sent CAS + sent FAA"},
          {.what = "a READ is answered once",
           .section = "verbs",
           .cost = "sent line",
           .per = "sent READ + sent READ of a word"},
          {.what = "and brings a line and its word, or a word",
           .section = "§3",
           .cost = "bytes of line",
           .per = "sent READ + sent READ of a word",
           .least = 8 + models::kIcrcBytes,
           .most = stored_bytes + models::kIcrcBytes}};
}

/// A try-lock makes so many attempts at most, of which each reads the line once, or not at all where it is there. All
/// else is tried as often as it takes.
inline models::CostRow row_of_tries(std::uint64_t attempts) {
  const std::string n = std::to_string(attempts), any = "1000000";
  return {.what = "a try-lock gives up",
          .section = "published code",
          .cost = "sent READ",
          .per = n + " try-locks + " + n + " shared try-locks + " + any + " reads + " + any + " writes + " + any +
                 " locks + " + any + " shared locks",
          .least = 0};
}

}  // namespace racksim::latched_memory
