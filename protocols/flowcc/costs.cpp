// What coherence events of FlowCC cost (Concordia §5.1, Figures 5 and 7): a request that asks for a lock, what the owner
// of the lock has the holders do, a block at most, and the way back of the lock.
#include <fmt/format.h>

#include "models/packets/rdma_headers.hpp"
#include "protocols/flowcc/flowcc.hpp"

namespace racksim::flowcc {

namespace {

constexpr auto kTypes = static_cast<std::size_t>(MessageType::removal_notice) + 1;
/// Besides the types: requests that have got the lock and go to holders, answers that come with the home's data, and
/// blocks by the places where they land, and what is written to logs of locks.
enum : std::size_t { kToHolder = kTypes, kByHome, kBlock, kToMemory, kToLog, kMessages };

}  // namespace

void FlowCc::messages_of(const p4::Packet& packet, std::vector<models::CostedMessage>& messages) const {
  const auto add = [&](std::size_t message) { messages.push_back({message, packet.operation}); };
  if (const auto* remote = packet.find<models::Reth>()) {
    if (DataAddress::is_lock_log(remote->address)) return add(kToLog);
    return add(DataAddress::is_event_buffer(remote->address) ? kBlock : kToMemory);
  }
  const auto* header = packet.find<FlowCcHeader>();
  if (header == nullptr) return;
  const MessageType type = header->message_type();
  if (is_request(type) && static_cast<Receiver>(header->receiver) == Receiver::cache_agent) return add(kToHolder);
  if (type == MessageType::ack && header->from_home != 0) return add(kByHome);
  add(static_cast<std::size_t>(type));
}

models::CostTable FlowCcOptions::costs(const models::RackOptions&) const {
  models::CostTable table;
  for (std::size_t i = 0; i < kTypes; ++i) table.messages.emplace_back(to_string(static_cast<MessageType>(i)));
  for (const char* name : {"request to a holder", "ACK of the home", "block", "block to memory", "lock to a log"}) {
    table.messages.emplace_back(name);
  }
  const std::string unlocks = "sent UNLOCK (read) + sent UNLOCK (write)";
  const std::string answers = "sent ACK + sent ACK of the home + sent FAILED-ACK";
  const auto all_requests = [](const char* how) {
    std::vector<std::string> terms;
    for (const MessageType type : kRequests) terms.push_back(fmt::format("{} {}", how, to_string(type)));
    return fmt::format("{}", fmt::join(terms, " + "));
  };
  const std::string requests = all_requests("sent"), received = all_requests("received");
  table.rows = {
      {.what = "a request gets the lock, which is given back, or fails",
       .section = "§5.1.1",
       .cost = unlocks + " + received FAILED-ACK",
       .per = requests,
       .most = migrates() ? models::CostRow::kAny : 1,  // homes take and give back locks of their own
       .of_each = false},
      {.what = "a lock is given back",
       .section = "§5.3",
       .cost = "received UNLOCK-ACK",
       .per = unlocks,
       .most = models::CostRow::kAny},
      {.what = "once, as are those of migrations",
       .section = "§5.3",
       .cost = "received UNLOCK-ACK",
       .per = unlocks + " + sent ADD-TO-SWITCH + sent REMOVE-FROM-SWITCH + sent CLEAR",
       .least = 0},
      {.what = "a holder answers once",
       .section = "§5.1.2",
       .cost = "sent ACK",
       .per = "received request to a holder",
       .most = models::CostRow::kAny},
      {.what = "whoever gets a request answers once at most",
       .section = "§5.1.2",
       .cost = answers,
       .per = "received request to a holder + " + received,
       .least = 0},
      {.what = "or is a home that passes it on to holders",
       .section = "§5.1.1",
       .cost = answers + " + sent request to a holder",
       .per = "received request to a holder + " + received,
       .most = models::CostRow::kAny},
      {.what = "an event that has the lock moves one block at most",
       .section = "§5.1.2",
       .cost = "sent block",
       .per = unlocks + " + locks + shared locks + try-locks + shared try-locks",
       .least = 0},
      {.what = "blocks that somebody asked for",
       .section = "§5.1.2",
       .cost = "sent block",
       .per = "flowcc.data_blocks",
       .of_each = false},
      {.what = "blocks that are written back",
       .section = "§5.1.2",
       .cost = "sent block to memory",
       .per = "flowcc.write_backs",
       .of_each = false},
  };
  if (logs_locks()) {
    table.rows.push_back({.what = "a granted lock goes into a log, and out of it",
                          .section = "§6",
                          .cost = "sent lock to a log",
                          .per = "flowcc.locks.granted",
                          .least = 0,  // a node that is alone has no witness
                          .most = 2,
                          .of_each = false});
  }
  const auto add = [&](const char* state, const char* what, const std::string& cost, std::uint64_t times,
                       const char* per = "operations") {
    table.rows.push_back(models::row_of(state, what, "§5.1.2", cost, times, times, per));
  };
  const char* holders = "received request to a holder";
  // A lock that is taken, as by a migration, refuses the request, which comes again; that of a victim, too.
  const auto one = [&](const char* state, const char* what, const char* request) {
    table.rows.push_back(models::row_of(state, what, "§5.1.1", request, 0, 1, "operations + received FAILED-ACK"));
  };
  for (const char* hit : {"reads that hit", "writes that hit"}) add(hit, "asks nobody", requests, 0);
  for (const char* read : {"reads of what nobody has", "reads of what others share", "reads of what another owns"})
    one(read, "is a READ-MISS, until it gets the lock", "sent READ-MISS");
  for (const char* write : {"writes of what nobody has", "writes of what others share", "writes of what another owns"})
    one(write, "is a WRITE-MISS, until it gets the lock", "sent WRITE-MISS");
  one("upgrades", "is a WRITE-SHARED, until it gets the lock", "sent WRITE-SHARED");
  add("upgrades", "each other sharer gives up its copy", holders, 1, "other holders");
  add("upgrades", "the node has the block", "sent block", 0);
  for (const char* access : {"reads of what nobody has", "writes of what nobody has"}) {
    add(access, "no node is asked", holders, 0);
    add(access, "the home gives the block", "sent block", 1);
  }
  add("reads of what others share", "one sharer is asked", holders, 1);
  add("reads of what others share", "and gives the block", "sent block", 1);
  add("reads of what another owns", "the owner is asked", holders, 1);
  add("reads of what another owns", "and gives the block", "sent block", 1);
  table.rows.push_back(models::row_of("reads of what another owns", "and writes it back, as victims are", "§5.1.2",
                                      "sent block to memory", 0, 1, "operations + sent EVICT-MODIFIED"));
  add("writes of what others share", "each sharer gives up its copy", holders, 1, "other holders");
  add("writes of what others share", "one of them gives the block", "sent block", 1);
  add("writes of what another owns", "the owner is asked", holders, 1);
  add("writes of what another owns", "and gives the block", "sent block", 1);
  table.rows.push_back(models::row_of("writes of what another owns", "which memory need not have", "§5.1.2",
                                      "sent block to memory", 0, 1, "sent EVICT-MODIFIED"));
  return table;
}

}  // namespace racksim::flowcc
