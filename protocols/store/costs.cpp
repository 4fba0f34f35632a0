// What requests of the client-server application cost (StarCache §3.2, Figure 3): each is answered once, by its server or
// by the switch.
#include <algorithm>

#include "protocols/store/application.hpp"
#include "protocols/store/network.hpp"

namespace racksim::store {

namespace {

/// By the numbers of operation types: the store's own, those of every cache, and what StarCache and NetCache add
/// (switch_cache/messages.hpp, starcache/messages.hpp, netcache/messages.hpp).
constexpr const char* kMessages[] = {"R-REQ",  "R-REP",        "W-REQ",  "W-REP",        "CRN-REQ",
                                     "F-REQ",  "F-REP",        "W-REF",  "E-REQ",        "E-REP",
                                     "report", "report reply", "update", "update reply", "rest of an item"};

}  // namespace

void Application::messages_of(const p4::Packet& packet, std::vector<models::CostedMessage>& messages) const {
  const auto* header = packet.find<StoreHeader>();
  if (header == nullptr || header->op >= std::size(kMessages)) return;
  // Whoever brings no value may name the last part all the same.
  const bool rest =
      packet.payload_bytes > shared_.sizes.key_bytes && !is_first_part(packet.content.as<PartOfItem>().id);
  messages.push_back({rest ? std::size(kMessages) - 1 : header->op, packet.operation});
}

models::CostTable StoreProtocolOptions::costs(const models::RackOptions&) const {
  models::CostTable table;
  table.messages.assign(std::begin(kMessages), std::end(kMessages));
  table.rows = {
      {.what = "a read is asked once", .section = "§3.2", .cost = "sent R-REQ", .per = "reads"},
      {.what = "and answered once; a wrong key is corrected once",
       .section = "§3.6",
       .cost = "received R-REP",
       .per = "sent R-REQ + sent CRN-REQ"},
      {.what = "a write is sent once, and again if it was refused",
       .section = "§3.2",
       .cost = "sent W-REQ",
       .per = "writes + received W-REF"},
      {.what = "and answered once", .section = "§3.2", .cost = "received W-REP + received W-REF", .per = "sent W-REQ"},
      {.what = "a server answers what it reads",
       .section = "§3.2",
       .cost = "sent R-REP",
       .per = "received R-REQ + received CRN-REQ"},
      {.what = "and writes", .section = "§3.2", .cost = "sent W-REP + sent W-REF", .per = "received W-REQ"},
      {.what = "and fetches", .section = "§3.8", .cost = "sent F-REP", .per = "received F-REQ"},
      {.what = "and evictions", .section = "ours", .cost = "sent E-REP", .per = "received E-REQ"},
  };
  return table;
}

}  // namespace racksim::store
