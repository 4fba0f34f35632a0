// How messages and replies become verbs. See messages.hpp.
#include "protocols/rpc_directory/messages.hpp"

#include "protocols/latched_memory/line_data.hpp"

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

void post_reply(models::QueuePair& queue_pair, const Reply& reply, std::span<const std::byte> page,
                models::RemoteAddress buffer, sim::OperationId operation) {
  const models::WorkRequest request{
      .opcode = models::Opcode::write,
      .remote = buffer,
      .content = page.empty() ? models::Content::of(reply) : latched_memory::behind(reply, page),
      .bytes = Reply::kWireBytes + static_cast<std::uint32_t>(page.size()),
      .signalled = false,
      .operation = operation};
  queue_pair.post(request);
}

}  // namespace racksim::rpc_directory
