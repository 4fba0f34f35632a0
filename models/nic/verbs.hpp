// The vocabulary of a NIC's users, as ibverbs has it: what is posted, what completes, and who is told.
//
// Names follow the InfiniBand specification (volume 1, chapters 10 and 11) and ibv_post_send(3), ibv_poll_cq(3).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "models/packets/rack_context.hpp"
#include "p4model/language/content.hpp"
#include "p4model/language/packet.hpp"
#include "sim/record/ids.hpp"

namespace racksim::models {

using p4::Content;

/// The number of a queue pair of a NIC.
using Qpn = sim::Id<struct QpnKind, std::uint32_t>;
/// Of the first that is no raw packet queue pair. A raw one's number is a UDP port.
inline constexpr std::uint32_t kFirstRdmaQpn = 65536;

/// What a work request asks for. `receive` stands for a posted receive that a message has consumed.
enum class Opcode : std::uint8_t { send, send_imm, write, write_imm, read, compare_swap, fetch_add, receive };
std::string_view name_of(Opcode opcode);

/// How a work request ended (ibv_wc_status).
enum class Status : std::uint8_t {
  success,
  local_length_error,      ///< longer than its receive, than a datagram may be, or not 8 bytes for an atomic
  local_operation_error,   ///< what this kind of queue pair cannot do
  flushed,                 ///< posted to a queue pair in error, or not finished when it went there
  remote_invalid_request,  ///< the responder cannot do it: a misaligned atomic
  remote_access_error,     ///< outside of the responder's registered memory, or not allowed there
  retries_exceeded,        ///< no acknowledgement, however often it was sent
  rnr_retries_exceeded,    ///< the responder had no receive, however often it was sent
  queue_full               ///< not posted, for want of room in the send queue (ENOMEM of ibv_post_send)
};
std::string_view name_of(Status status);

/// Memory of the remote node: an address within the region with this key.
struct RemoteAddress {
  std::uint64_t address = 0;
  std::uint32_t key = 0;
  bool operator==(const RemoteAddress&) const = default;
};

/// Where a datagram goes: a queue pair of a node, or all queue pairs that have joined a multicast group.
struct Destination {
  NodeId node = 0;
  Qpn qpn = 0;
  std::optional<std::uint16_t> group = std::nullopt;
};

struct WorkRequest {
  Opcode opcode = Opcode::send;
  RemoteAddress remote{};  ///< of one-sided verbs
  Content content{};       ///< what is sent or written
  /// Length on the wire, if it is not that of the content; of a READ, how much is read. At most 2^31.
  std::optional<std::uint32_t> bytes = std::nullopt;
  std::uint64_t compare = 0;      ///< of a compare-and-swap
  std::uint64_t swap_or_add = 0;  ///< of either atomic
  /// Of either: where in this node's memory the NIC writes what the word was, also without a completion. It is there
  /// when this work request or one behind it has completed.
  std::optional<std::uint64_t> old_value_at = std::nullopt;
  std::uint32_t immediate = 0;     ///< of verbs that bring one
  bool signalled = true;           ///< makes a completion when it succeeds; failures always do
  bool fenced = false;             ///< waits until READs and atomics before it have ended
  Destination destination{};       ///< of a datagram
  std::uint64_t wr_id = 0;         ///< comes back in the completion
  sim::OperationId operation = 0;  ///< the application's operation that causes it, for the record

  std::uint32_t length() const { return bytes.value_or(static_cast<std::uint32_t>(content.size())); }
};

/// What the NIC puts before a datagram's message in its receive: the global route header that it came by, or room for one
/// (InfiniBand specification, volume 1, chapter 11.4.1.2; ibv_post_recv(3)).
inline constexpr std::uint32_t kGrhBytes = 40;

struct Completion {
  std::uint64_t wr_id = 0;
  Status status = Status::success;
  Opcode opcode = Opcode::send;
  std::uint32_t bytes = 0;      ///< received or read; of a datagram with its global route header (kGrhBytes)
  std::uint64_t old_value = 0;  ///< that an atomic found
  std::optional<std::uint32_t> immediate = std::nullopt;
  Qpn qpn = 0;                     ///< of the queue pair that it belongs to
  NodeId from = 0;                 ///< who sent what was received
  Qpn from_qpn = 0;                ///< its queue pair
  Content content{};               ///< the message that was received, or what was read
  sim::OperationId operation = 0;  ///< that caused the message or the work request
};

/// Gets the packets of a raw packet queue pair.
class PacketHandler {
 public:
  virtual ~PacketHandler() = default;
  /// Called on the polling core after the cost of receiving.
  virtual void on_packet(p4::PacketRef packet) = 0;
};

/// Polls a completion queue.
class CompletionHandler {
 public:
  virtual ~CompletionHandler() = default;
  /// Called on the polling core for each completion, after the cost of polling it.
  virtual void on_completion(const Completion& completion) = 0;
};

}  // namespace racksim::models
