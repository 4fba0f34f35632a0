// SELCC's verbs and messages in the words of the paper, for charts of a run. See models/rack/explanation.hpp.
#include <fmt/core.h>

#include <cstring>

#include "models/packets/rdma_headers.hpp"
#include "protocols/selcc/selcc.hpp"

namespace racksim::selcc {

// What goes to a memory server has an address there; what goes to a compute node tells its line itself.
std::optional<models::PacketDescription> Selcc::describe(const p4::Packet& packet) const {
  if (auto verb = lines_.describe(packet)) return verb;
  models::PacketDescription description;
  const auto about = [&](sim::Key line, std::string label) {
    description.key = lines_.object_of(line, 0);
    description.label = std::move(label);
    return description;
  };
  if (packet.content.holds<Invalidation>()) {
    const auto message = packet.content.as<Invalidation>();
    return about(message.line,
                 fmt::format("INVALIDATE case {}, priority {}", static_cast<int>(message.conflict), message.priority));
  }
  if (packet.content.holds<Answer>()) {
    const auto answer = packet.content.as<Answer>();
    return about(answer.line, std::string(to_string(answer.verdict)));
  }
  if (packet.find<models::Reth>() != nullptr && packet.content.size() == sizeof(Answer) + options_.line_bytes) {
    Answer answer;
    std::memcpy(static_cast<void*>(&answer), packet.content.bytes().data(), sizeof answer);
    return about(answer.line, fmt::format("LINE {}", to_string(answer.verdict)));
  }
  return std::nullopt;
}

}  // namespace racksim::selcc
