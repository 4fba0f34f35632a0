// How messages and replies become verbs. See verbs.hpp.
#include "protocols/rpc_directory/verbs.hpp"

#include <cstring>
#include <vector>

namespace racksim::rpc_directory {

std::string_view to_string(MessageKind kind) {
  constexpr std::string_view kNames[] = {"READ REQUEST", "WRITE REQUEST", "ACKNOWLEDGED", "EVICTED", "WRITTEN BACK",
                                         "HANDED OVER",  "SHARED OUT",    "INVALIDATE",   "GIVE",    "SHARE"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view to_string(Verdict verdict) {
  constexpr std::string_view kNames[] = {"PAGE", "UPGRADE", "ASK OWNER"};
  return kNames[static_cast<std::size_t>(verdict)];
}

void post_message(models::QueuePair& queue_pair, const Message& message, std::uint64_t wr_id) {
  const models::WorkRequest request{.opcode = models::Opcode::send,
                                    .content = models::Content::of(message),
                                    .bytes = Message::kWireBytes,
                                    .signalled = wr_id != 0,
                                    .wr_id = wr_id,
                                    .operation = message.operation};
  queue_pair.post(request);
}

models::WorkRequest write_of(const Reply& reply, models::RemoteAddress buffer, sim::OperationId operation) {
  return {.opcode = models::Opcode::write,
          .remote = buffer,
          .content = models::Content::of(reply),
          .bytes = Reply::kWireBytes,
          .signalled = false,
          .operation = operation};
}

models::WorkRequest write_of(const Reply& reply, std::span<const std::byte> page, models::RemoteAddress buffer,
                             sim::OperationId operation) {
  std::vector<std::byte> bytes(sizeof reply + page.size());
  std::memcpy(bytes.data(), &reply, sizeof reply);
  std::memcpy(bytes.data() + sizeof reply, page.data(), page.size());
  models::WorkRequest request = write_of(reply, buffer, operation);
  request.content = models::Content::of_bytes(bytes);
  request.bytes = Reply::kWireBytes + static_cast<std::uint32_t>(page.size());
  return request;
}

}  // namespace racksim::rpc_directory
