// What compute nodes, homes and owners tell each other about lines.
//
//   a read of a line that another node owns            a write of a line that others share
//
//   node --- read request --> home                     node --- write request -> home
//   node <-- REPLY ask owner - home                    sharers <-- invalidate -- home
//   node --- share ---------> owner                    sharers - acknowledged -> home
//   node <-- REPLY, page ---- owner                    node <-- REPLY, page ---- home
//            page, shared out --> home
//
// A message is a SEND; a reply is a WRITE into the buffer of the thread that waits, with the page in front where it
// brings one, as ScaleStore's handlers write pages into the buffers of those who ask.
//
// A try-lock's request waits for nobody: the home answers BUSY while another request has the line busy, and so does an
// owner that uses it; a sharer that uses it keeps its share, of which the home tells the requester once all have answered.
//
//   node -- write request --> home
//   node <- REPLY ask owner - home                     node -- write request -> home
//   node -- give -----------> owner                    sharers <- invalidate -- home
//   node <- REPLY, busy ----- owner                    sharers - kept --------> home
//           home <- not given owner                    node <-- REPLY, busy --- home
//
// Each request has a number that its node does not use twice. The copy that it is granted keeps the number as its
// *version* (ScaleStore's ownership version), and whatever is said of a copy says which: what comes too late, since its
// copy is gone, and what comes too early, before the copy that it is about, is known by it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "models/nic/reliable_connection.hpp"
#include "models/packets/rack_context.hpp"
#include "sim/record/ids.hpp"

namespace racksim::rpc_directory {

using models::NodeId;

enum class MessageKind : std::uint8_t {
  // To the home:
  read_request,
  write_request,
  acknowledged,  ///< the copy is not there any more
  evicted,       ///< a shared copy was
  written_back,  ///< an exclusive one was, and memory has the page
  handed_over,   ///< by the owner, to the node that asked
  shared_out,    ///< by the owner, who keeps a share; memory has the page
  // To nodes:
  invalidate,  ///< by the home
  give,        ///< to the owner, by a writer
  share,       ///< to the owner, by a reader
  // To the home, of a try-lock:
  kept,      ///< the share stays, for it is in use
  not_given  ///< by the owner, who uses the line
};
std::string_view to_string(MessageKind kind);

struct Message {
  static constexpr std::uint32_t kWireBytes = 64;

  sim::Key line;
  std::uint64_t request = 0;  ///< of requests, give and share: the number of the request
  std::uint64_t version = 0;  ///< of the copy that it is about; of a request, of the share to be upgraded, or 0
  NodeId sender = 0;
  std::uint16_t endpoint = 0;  ///< of the sender: the thread, or that of its handler and evictor
  MessageKind kind{};
  bool tries = false;              ///< of requests, and of what they cause: a try-lock's, which waits for nobody
  sim::OperationId operation = 0;  ///< that causes it, for the record
};

enum class Verdict : std::uint8_t {
  page,     ///< granted, with the page
  upgrade,  ///< granted: the share that the node has may be written
  ask_owner,
  busy  ///< of a try-lock: somebody uses the line, or is about to
};
std::string_view to_string(Verdict verdict);

struct Reply {
  static constexpr std::uint32_t kWireBytes = 32;

  sim::Key line{};
  std::uint64_t request = 0;
  std::uint64_t owner_version = 0;  ///< of ask_owner: the owner's copy
  NodeId owner = 0;
  Verdict verdict{};
};

/// SENDs a message. With a number its completion is told.
void post_message(models::QueuePair& queue_pair, const Message& message, std::uint64_t wr_id = 0);

/// WRITEs a reply into the buffer of whoever waits for it, with the page behind it if it brings one.
void post_reply(models::QueuePair& queue_pair, const Reply& reply, std::span<const std::byte> page,
                models::RemoteAddress buffer, sim::OperationId operation);

}  // namespace racksim::rpc_directory
