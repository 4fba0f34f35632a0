// What accesses of GAM cost: the messages of its workflows (GAM §3.1, Figures 3 and 4, Table 1).
#include <cstring>

#include "models/packets/rdma_headers.hpp"
#include "protocols/gam/gam.hpp"

namespace racksim::gam {

namespace {

constexpr auto kMessageKinds = static_cast<std::size_t>(MessageKind::count);

}  // namespace

void Gam::messages_of(const p4::Packet& packet, std::vector<models::CostedMessage>& messages) const {
  if (packet.find<models::Deth>() != nullptr) return;  // a datagram: somebody else's
  if (const auto* immediate = packet.find<models::ImmDt>()) {
    const auto kind = Immediate::of(static_cast<std::uint32_t>(immediate->immediate)).kind;
    return messages.push_back({kMessageKinds + static_cast<std::size_t>(kind), packet.operation});
  }
  // The content of a message is in its last packet; a one-sided WRITE is none.
  if (packet.content.empty() || packet.find<models::Reth>() != nullptr) return;
  const auto bytes = packet.content.bytes();
  for (std::size_t at = 0; at + sizeof(Message) <= bytes.size(); at += sizeof(Message)) {
    Message message;
    std::memcpy(static_cast<void*>(&message), bytes.data() + at, sizeof message);
    messages.push_back({static_cast<std::size_t>(message.kind), message.operation});
  }
}

models::CostTable Options::costs(const models::RackOptions&) const {
  models::CostTable table;
  for (std::size_t i = 0; i < kMessageKinds; ++i) {
    table.messages.emplace_back(to_string(static_cast<MessageKind>(i)));
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(ImmediateKind::count); ++i) {
    const auto kind = static_cast<ImmediateKind>(i);
    table.messages.emplace_back(kind == ImmediateKind::write_back ? "data written back" : to_string(kind));
  }
  const std::string requests = "sent READ + sent WRITE + sent WRITE_PERMISSION_ONLY";
  const std::string answers = "sent data + sent grant with data + sent grant + sent grant-ack + sent DENIED";
  table.rows = {
      {.what = "a request is answered",
       .section = "§3.1",
       .cost = answers,
       .per = requests,
       .most = models::CostRow::kAny,
       .of_each = false},
      {.what = "once; of a denied try by home and owner",
       .section = "§4.1",
       .cost = answers,
       .per = requests + " + sent DENIED to the home",
       .least = 0,
       .of_each = false},
      {.what = "a READ is answered with the line or a denial",
       .section = "Figure 3",
       .cost = "sent data",
       .per = "sent READ",
       .least = 0},
      {.what = "sharers and owners answer the home once",
       .section = "Figures 3, 4",
       .cost = "sent inv-ack + sent fetched data + sent transfer + sent DENIED to the home",
       .per = "sent INVALIDATE + sent INVALIDATE_FORWARD + sent FETCH_AND_SHARED + sent READ_FORWARD + "
              "sent FETCH_AND_INVALIDATE + sent WRITE_FORWARD",
       .of_each = false},
      {.what = "acknowledging invalidations",
       .section = "Figure 4",
       .cost = "sent inv-ack",
       .per = "sent INVALIDATE + sent INVALIDATE_FORWARD",
       .least = 0},
      {.what = "a new owner gets the line of the old one, and the home knows",
       .section = "Figure 4",
       .cost = "sent transfer",
       .per = "sent owner's data"},
      {.what = "by a WRITE_FORWARD alone",
       .section = "Figure 4",
       .cost = "sent transfer",
       .per = "sent WRITE_FORWARD",
       .least = 0},
      {.what = "and learns that the home knows",
       .section = "Figure 4",
       .cost = "sent grant-ack",
       .per = "sent WRITE_FORWARD"},
      {.what = "what is written back is acknowledged once",
       .section = "§2.6",
       .cost = "sent wb-ack",
       .per = "sent data written back + sent WRITE_BACK"},
      {.what = "memory is asked for once", .section = "§2.1", .cost = "sent MALLOC_REPLY", .per = "sent MALLOC"},
      {.what = "and given back once", .section = "§2.1", .cost = "sent FREE_REPLY", .per = "sent FREE"},
  };
  const std::string invalidations = "sent INVALIDATE + sent INVALIDATE_FORWARD";
  const std::string fetches =
      "sent FETCH_AND_SHARED + sent READ_FORWARD + sent FETCH_AND_INVALIDATE + sent WRITE_FORWARD";
  const std::string told = invalidations + " + " + fetches;
  const auto add = [&](const char* state, const char* what, const char* section, const std::string& cost,
                       std::uint64_t most, const char* per = "operations") {
    table.rows.push_back(models::row_of(state, what, section, cost, 0, most, per));
  };
  // The home has what it needs, and asks nobody but for others.
  add("reads that hit", "asks nobody", "§3.1", requests + " + " + told, 0);
  for (const char* read : {"reads of what nobody has", "reads of what others share"}) {
    add(read, "the home is asked", "Figure 3", "sent READ", 1);
    add(read, "and has the line", "Figure 3", told, 0);
  }
  add("reads of what another owns", "the home is asked", "Figure 3", "sent READ", 1);
  add("reads of what another owns", "and asks the owner", "Figure 3", fetches, 1);
  add("reads of what another owns", "which keeps a copy", "Figure 3", invalidations, 0);
  table.writes_return_early = consistency != Consistency::sc;
  add("writes that hit", "asks nobody", "§3.1", requests + " + " + told, 0);
  for (const char* write : {"writes of what nobody has", "writes of what others share", "writes of what another owns"})
    add(write, "the home is asked", "Figure 4", "sent WRITE", 1);
  add("writes of what nobody has", "and has the line", "Figure 4", told, 0);
  add("upgrades", "the home is asked for permission alone", "Figure 4", "sent WRITE_PERMISSION_ONLY", 1);
  add("upgrades", "not for the line", "Figure 4", "sent WRITE + sent data + sent grant with data", 0);
  for (const char* write : {"upgrades", "writes of what others share"}) {
    add(write, "and tells sharers", "Figure 4", invalidations, 1, "other holders");
    add(write, "of whom none has it alone", "Figure 4", fetches, 0);
  }
  add("writes of what another owns", "and asks the owner", "Figure 4", fetches, 1);
  add("writes of what another owns", "which is no sharer", "Figure 4", invalidations, 0);
  return table;
}

}  // namespace racksim::gam
