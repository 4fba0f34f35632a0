// What GAM's nodes tell each other (GAM §3.1), by three channels over one reliable connection for each two nodes:
//
//   control       SEND: requests, forwards, invalidations, error replies, allocation. A message is a struct.
//   data          WRITE_WITH_IMM with the line, straight to where it belongs: replies and write-backs
//   notification  WRITE_WITH_IMM without payload: acknowledgements and transfers
//
// A request has a number which its node gives to no other as long as somebody may know a copy by it; the copy that it
// gets keeps that number. The 32 bits of immediate data are a kind and such a number: the requester's request, or the
// home's transaction.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "models/packets/rack_context.hpp"
#include "sim/record/ids.hpp"

namespace racksim::gam {

using models::NodeId;

enum class MessageKind : std::uint8_t {
  // To the home:
  read,
  write,
  write_permission_only,  ///< by a sharer: without the data, if it is one still when it is granted
  active_invalidate,      ///< a sharer has evicted its copy
  write_back,             ///< the owner has, and the line is in memory (`writeback: "one-sided"` alone)
  denied_to_home,         ///< a try-lock's forward or invalidation
  // By the home, to sharers and owners:
  invalidate,            ///< for the home's own write
  invalidate_forward,    ///< for another node's
  fetch_and_shared,      ///< for the home's own read
  read_forward,          ///< for another node's
  fetch_and_invalidate,  ///< for the home's own write
  write_forward,         ///< for another node's
  // To the requester:
  denied,
  // Allocation (§2.1):
  malloc,
  malloc_reply,
  free,
  free_reply,
  memory_statistics,
  count
};
std::string_view to_string(MessageKind kind);
/// Which part of a node takes it.
enum class Receiver : std::uint8_t { home, cache, allocation };
Receiver receiver_of(MessageKind kind);
/// Bytes of one on the wire.
std::uint32_t wire_bytes(MessageKind kind);

/// One control message.
struct Message {
  sim::Key line{};
  std::uint64_t bytes = 0;        ///< of allocation: how much; of statistics: what is free
  std::uint32_t request = 0;      ///< the requester's; of an invalidation and of evictions: that the copy came by
  std::uint32_t transaction = 0;  ///< of the home, for what it sends to sharers and owners, and for their answers
  std::uint32_t frame = 0;        ///< the requester's, for the data
  NodeId sender = 0;
  NodeId requester = 0;  ///< of forwards: whose request it is
  MessageKind kind{};
  bool locks = false;  ///< the requester wants the line's lock with it,
  bool tries = false;  ///< or else nothing
  sim::OperationId operation = 0;
};

enum class ImmediateKind : std::uint8_t {
  // To the requester:
  data,        ///< of a READ
  grant_data,  ///< of a WRITE, by the home: it is the owner
  grant,       ///< of a WRITE_PERMISSION_ONLY, without data
  owner_data,  ///< of a WRITE, by the former owner
  grant_ack,   ///< the home knows of that: both together make it the owner
  write_back_ack,
  // To the home:
  invalidate_ack,
  fetched,  ///< the owner's data, into memory
  transfer,
  write_back,  ///< with the data
  count
};
std::string_view to_string(ImmediateKind kind);
/// Whether it makes its receiver the owner of a line, or may: with logging it says by which counter.
constexpr bool tells_counter(ImmediateKind kind) {
  return kind == ImmediateKind::grant_data || kind == ImmediateKind::grant || kind == ImmediateKind::owner_data ||
         kind == ImmediateKind::grant_ack;
}
/// Whether it comes without a line.
constexpr bool is_payload_free(ImmediateKind kind) {
  return kind == ImmediateKind::grant || kind == ImmediateKind::grant_ack;
}

/// The event that a message of some kind is to who takes it.
template <class Kind, class Event>
Event event_of(Kind kind, std::initializer_list<std::pair<Kind, Event>> events) {
  for (const auto& [of, event] : events) {
    if (of == kind) return event;
  }
  throw std::logic_error(fmt::format("{} has come to who cannot take it", to_string(kind)));
}

/// What the immediate data of a WRITE_WITH_IMM say.
struct Immediate {
  static constexpr unsigned kNumberBits = 28;
  static constexpr std::uint32_t kNumbers = std::uint32_t{1} << kNumberBits;
  static_assert(static_cast<unsigned>(ImmediateKind::count) <= 1u << (32 - kNumberBits));

  ImmediateKind kind{};
  std::uint32_t number = 0;

  constexpr std::uint32_t bits() const { return static_cast<std::uint32_t>(kind) << kNumberBits | number; }
  static constexpr Immediate of(std::uint32_t bits) {
    return {static_cast<ImmediateKind>(bits >> kNumberBits), bits & (kNumbers - 1)};
  }
};

/// In front of the data of a write-back: all that a landing buffer says of itself.
struct WriteBackHeader {
  sim::Key line;
};

}  // namespace racksim::gam
