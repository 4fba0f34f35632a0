// What accesses of the RPC directory cost (messages.hpp has the two longest ways).
#include <cstring>

#include "models/packets/addressing.hpp"
#include "models/packets/rdma_headers.hpp"
#include "p4model/language/headers.hpp"
#include "protocols/rpc_directory/rpc_directory.hpp"

namespace racksim::rpc_directory {

namespace {

constexpr std::size_t kMessages = static_cast<std::size_t>(MessageKind::not_given) + 1;
constexpr std::size_t kVerdicts = static_cast<std::size_t>(Verdict::busy) + 1;

}  // namespace

void RpcDirectory::messages_of(const p4::Packet& packet, std::vector<models::CostedMessage>& messages) const {
  const auto* bth = packet.find<models::Bth>();
  if (bth == nullptr) return;
  const auto add = [&](std::size_t message) { messages.push_back({message, packet.operation}); };
  const auto opcode = static_cast<models::RcOpcode>(bth->opcode);
  if (models::is_send(opcode)) return add(static_cast<std::size_t>(packet.content.as<Message>().kind));
  if (!models::is_write(opcode) || !models::is_last(opcode)) return;
  if (shape().roles.holds_memory(models::node_of_ipv4(packet.get<p4::Ipv4>().dst))) return add(kMessages + kVerdicts);
  Reply reply;
  std::memcpy(static_cast<void*>(&reply), packet.content.bytes().data(), sizeof reply);
  add(kMessages + static_cast<std::size_t>(reply.verdict));
}

models::CostTable Options::costs(const models::RackOptions&) const {
  models::CostTable table;
  for (std::size_t i = 0; i < kMessages; ++i) {
    table.messages.emplace_back(to_string(static_cast<MessageKind>(i)));
  }
  for (std::size_t i = 0; i < kVerdicts; ++i)
    table.messages.push_back("REPLY " + std::string(to_string(static_cast<Verdict>(i))));
  table.messages.emplace_back("write-back");
  table.rows = {
      {.what = "a request is answered by its home once",
       .section = "ScaleStore §4",
       .cost = "sent REPLY PAGE + sent REPLY UPGRADE + sent REPLY ASK OWNER + sent REPLY BUSY",
       .per = "sent READ REQUEST + sent WRITE REQUEST + sent GIVE + sent SHARE"},
      {.what = "whoever is told the owner asks it",
       .section = "ScaleStore §4",
       .cost = "sent GIVE + sent SHARE",
       .per = "sent REPLY ASK OWNER"},
      {.what = "and it tells the home",
       .section = "ScaleStore §4",
       .cost = "sent HANDED OVER + sent SHARED OUT + sent NOT GIVEN",
       .per = "sent GIVE + sent SHARE",
       .least = 0},
      {.what = "unless it has written the page back",
       .section = "ScaleStore §5",
       .cost = "sent HANDED OVER + sent SHARED OUT + sent NOT GIVEN + sent WRITTEN BACK",
       .per = "sent GIVE + sent SHARE",
       .most = models::CostRow::kAny,
       .of_each = false},
      {.what = "an invalidation is acknowledged once, or a try-lock's denied",
       .section = "ScaleStore §4",
       .cost = "sent ACKNOWLEDGED + sent KEPT",
       .per = "sent INVALIDATE"},
      {.what = "a try-lock alone is told that somebody uses the line, once",
       .section = "ours",
       .cost = "sent REPLY BUSY",
       .per = "try-locks + shared try-locks",
       .least = 0},
      {.what = "and if the owner tells it, so does it the home",
       .section = "ours",
       .cost = "sent NOT GIVEN",
       .per = "sent REPLY BUSY",
       .least = 0},
      {.what = "a page is written back before the home is told, and then alone",
       .section = "ScaleStore §5",
       .cost = "sent write-back",
       .per = "sent WRITTEN BACK + sent SHARED OUT",
       .least = 0},
  };
  const auto add = [&](const char* state, const char* what, const char* cost, std::uint64_t times,
                       const char* per = "operations") {
    table.rows.push_back(models::row_of(state, what, "ScaleStore §4", cost, times, times, per));
  };
  const char *requests = "sent READ REQUEST + sent WRITE REQUEST", *owners = "sent GIVE + sent SHARE",
             *sharers = "sent INVALIDATE";
  for (const char* hit : {"reads that hit", "writes that hit"}) add(hit, "asks nobody", requests, 0);
  for (const char* read : {"reads of what nobody has", "reads of what others share", "reads of what another owns"}) {
    add(read, "the home is asked once", "sent READ REQUEST", 1);
    add(read, "sharers keep what they have", sharers, 0);
  }
  for (const char* write :
       {"writes of what nobody has", "writes of what others share", "writes of what another owns", "upgrades"})
    add(write, "the home is asked once", "sent WRITE REQUEST", 1);
  for (const char* access : {"reads of what nobody has", "reads of what others share", "writes of what nobody has",
                             "writes of what others share", "upgrades"})
    add(access, "no owner is asked", owners, 0);
  add("upgrades", "and the page is there", "sent REPLY PAGE", 0);
  add("reads of what another owns", "the owner shares it out", "sent SHARE", 1);
  add("writes of what another owns", "the owner gives it", "sent GIVE", 1);
  for (const char* write : {"writes of what others share", "upgrades"})
    add(write, "each other sharer is told", sharers, 1, "other holders");
  for (const char* write : {"writes of what nobody has", "writes of what another owns"})
    add(write, "no sharer is", sharers, 0);
  return table;
}

}  // namespace racksim::rpc_directory
