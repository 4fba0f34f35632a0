// FlowCC's packets and switch registers in the words of the paper, for charts of a run. See
// models/rack/explanation.hpp.
#include <fmt/core.h>

#include "models/packets/addressing.hpp"
#include "models/packets/rdma_headers.hpp"
#include "p4model/language/headers.hpp"
#include "protocols/flowcc/flowcc.hpp"

namespace racksim::flowcc {

namespace {

std::string part_of(NodeId node, const char* part) {
  return fmt::format("n{}.{}", node, part);
}

std::string label_of(const FlowCcHeader& h) {
  std::string label = fmt::format("{} seq {}", to_string(h.message_type()), h.seq);
  if (h.retransmitted && is_request(h.message_type())) label += " again";
  switch (h.message_type()) {
    case MessageType::ack:
    case MessageType::unlock_read:
    case MessageType::unlock_write:
      label += fmt::format(" {} {}", to_string(h.metadata().status), to_text(h.metadata().copyset));
      break;
    case MessageType::failed_ack:
      label += fmt::format(" serial {}", h.serial);
      break;
    case MessageType::heat_report:
    case MessageType::listing:
    case MessageType::removal_notice:
      return to_string(h.message_type());
    case MessageType::add_to_switch:
      label += fmt::format(" {} {}", to_string(h.metadata().status), to_text(h.metadata().copyset));
      break;
    default:
      if (h.is_in_switch == 0) label += fmt::format(" serial {}", h.serial);
      break;
  }
  if (h.is_data_provider && h.message_type() != MessageType::ack) label += ", provider";
  return label;
}

}  // namespace

// Where blocks migrate home agents have the numbers behind the threads'.
std::string FlowCc::thread_name(std::uint64_t requester) const {
  const auto number = static_cast<unsigned>(requester);
  if (shared_.is_home(number)) return part_of(shared_.node_of(number), "home");
  return fmt::format("n{}.t{}", shared_.node_of(number), shared_.thread_of(number) % shape().threads_per_node);
}

// Requests and unlocks come from requesters, until a home agent passes a request on to holders; acknowledgements come
// from the agents. A cache agent puts its own node into them and never answers a requester of its own node.
std::string FlowCc::sender_of(const p4::Packet& packet, const FlowCcHeader& h) const {
  const NodeId node = models::node_of_ipv4(packet.get<p4::Ipv4>().src);
  if (h.message_type() == MessageType::removal_notice) return "shadow node";
  if (static_cast<Receiver>(h.receiver) == Receiver::shadow) {
    return part_of(node, h.message_type() == MessageType::heat_report ? "cache" : "home");
  }
  if (static_cast<Receiver>(h.receiver) == Receiver::home_agent) return thread_name(h.requester);
  const bool own_answer = h.message_type() == MessageType::ack && h.from_home == 0 && h.node_id == node &&
                          shared_.node_of(static_cast<unsigned>(h.requester)) != node;
  return part_of(node, own_answer ? "cache" : "home");
}

// A block travels in one message from an endpoint to its counterpart; the packet that ends it carries tag and value.
models::PacketDescription FlowCc::describe_block(const p4::Packet& packet) const {
  const auto& bth = packet.get<models::Bth>();
  const auto& ip = packet.get<p4::Ipv4>();
  const NodeId source = models::node_of_ipv4(ip.src), destination = models::node_of_ipv4(ip.dst);
  models::PacketDescription description;
  MemoryNode& receiver = *nodes_.at(destination);
  // Endpoints of one kind are connected to each other, so the receiving one tells who sent. Agents write into the
  // buffer of the requester's event, requesters write back to the home's memory.
  if (receiver.home_agent().endpoint().has_rc(models::Qpn{bth.dest_qp})) description.from = part_of(source, "home");
  if (receiver.cache_agent().endpoint().has_rc(models::Qpn{bth.dest_qp})) description.from = part_of(source, "cache");
  for (unsigned thread = 0; thread < shape().threads_per_node; ++thread) {
    if (!receiver.requester(thread).endpoint().has_rc(models::Qpn{bth.dest_qp})) continue;
    description.from = thread_name(shared_.requester_of(source, thread));
    description.to = part_of(destination, "home");
  }
  const bool whole = packet.content.holds<BlockData>();
  const BlockData data = whole ? packet.content.as<BlockData>() : BlockData{};
  if (const TimedRunner* waiting = description.to.empty() ? event_on(receiver, data.tag) : nullptr) {
    description.to = thread_name(waiting->number().number());
  }
  if (packet.content.holds<LoggedLock>()) {
    const auto lock = packet.content.as<LoggedLock>();
    description.label =
        fmt::format("lock log: {} by {}", lock.held ? "held" : "given back", thread_name(lock.requester));
    description.key = lock.tag;
    description.to = "log";
    return description;
  }
  if (!whole) {
    description.label = "part of a block";
    description.part = true;
    return description;
  }
  description.label = fmt::format("block, value {:#x}", data.value.number());
  description.key = data.tag;
  return description;
}

std::optional<models::PacketDescription> FlowCc::describe(const p4::Packet& packet) const {
  if (const auto* bth = packet.find<models::Bth>()) {
    if (static_cast<models::RcOpcode>(bth->opcode) != models::RcOpcode::acknowledge) return describe_block(packet);
    return models::PacketDescription{
        .label = "acknowledgement of the NIC", .key = {}, .from = "", .to = "", .part = true};
  }
  const auto* header = packet.find<FlowCcHeader>();
  if (header == nullptr) return Allocation::describe(packet, shape().threads_per_node);
  models::PacketDescription description{
      .label = label_of(*header), .key = header->tag(), .from = sender_of(packet, *header), .to = ""};
  const NodeId destination = models::node_of_ipv4(packet.get<p4::Ipv4>().dst);
  switch (static_cast<Receiver>(header->receiver)) {
    case Receiver::requester:
      description.to = thread_name(header->requester);
      break;
    case Receiver::cache_agent:
      description.to = part_of(destination, "cache");
      break;
    case Receiver::home_agent:
      description.to = part_of(destination, "home");
      break;
    case Receiver::shadow:
      description.to = "shadow node";
      break;
  }
  return description;
}

std::vector<models::SwitchRegister> FlowCc::switch_state_of(sim::Key key) const {
  auto registers = switch_->registers_of(key);
  if (registers.empty()) return registers;
  std::vector<std::uint64_t> requesters;
  for (const auto& node : nodes_) {
    node->visit_runners([&](const TimedRunner& runner) { requesters.push_back(runner.number().number()); });
    if (options_.migrates()) requesters.push_back(shared_.requester_of_home(node->id()));
  }
  for (const std::uint64_t requester : requesters) {
    const std::string name = thread_name(requester);
    for (const std::uint64_t parity : {0, 1}) {
      if (!options_.scoreboard) break;
      registers.push_back({.pipe = switch_->pipe(),
                           .array = "SCOREBOARD",
                           .index = requester << 1 | parity,
                           .meaning = fmt::format("score of {}, {} seq", name, parity == 0 ? "even" : "odd"),
                           .party = name});
    }
    if (!options_.last_unlock) continue;
    registers.push_back({.pipe = switch_->pipe(),
                         .array = "LAST_UNLOCK",
                         .index = requester,
                         .meaning = fmt::format("last unlock of {}", name),
                         .party = name});
  }
  return registers;
}

}  // namespace racksim::flowcc
