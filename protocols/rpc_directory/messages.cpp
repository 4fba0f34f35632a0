// How messages and replies become verbs. See messages.hpp.
#include "protocols/rpc_directory/messages.hpp"

#include "protocols/latched_memory/line_data.hpp"

namespace racksim::rpc_directory {

// clang-format off
std::string_view to_string(MessageKind kind) {
  switch (kind) {
    case MessageKind::read_request:  return "READ REQUEST";
    case MessageKind::write_request: return "WRITE REQUEST";
    case MessageKind::acknowledged:  return "ACKNOWLEDGED";
    case MessageKind::evicted:       return "EVICTED";
    case MessageKind::written_back:  return "WRITTEN BACK";
    case MessageKind::handed_over:   return "HANDED OVER";
    case MessageKind::shared_out:    return "SHARED OUT";
    case MessageKind::invalidate:    return "INVALIDATE";
    case MessageKind::give:          return "GIVE";
    case MessageKind::share:         return "SHARE";
    case MessageKind::kept:          return "KEPT";
    case MessageKind::not_given:     return "NOT GIVEN";
  }
  return {};
}

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::page:      return "PAGE";
    case Verdict::upgrade:   return "UPGRADE";
    case Verdict::ask_owner: return "ASK OWNER";
    case Verdict::busy:      return "BUSY";
  }
  return {};
}
// clang-format on

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
