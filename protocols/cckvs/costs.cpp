// What requests to ccKVS and its baselines cost (ccKVS §5, §6.3, §8.7): a remote request and its response; a put of a
// cached key under SC an update to each other cache, under Lin an invalidation, its acknowledgement and an update.
#include <fmt/core.h>

#include "models/packets/rdma_headers.hpp"
#include "protocols/cckvs/base.hpp"
#include "protocols/cckvs/cckvs.hpp"
#include "protocols/cckvs/threads/cache_links.hpp"
#include "protocols/cckvs/threads/control_messages.hpp"

namespace racksim::cckvs {

namespace {

constexpr std::size_t number(MessageClass message) {
  return static_cast<std::size_t>(message);
}

MessageClass class_of(CacheMessage::Type type) {
  switch (type) {
    case CacheMessage::Type::invalidation:
      return MessageClass::invalidation;
    case CacheMessage::Type::acknowledgement:
      return MessageClass::acknowledgement;
    case CacheMessage::Type::update:
      break;
  }
  return MessageClass::update;
}

/// Of what both have.
models::CostTable costs_of_requests(const std::string& counters, bool learning) {
  models::CostTable table;
  for (std::size_t i = 0; i < kMessageClasses; ++i) table.messages.emplace_back(name_of(static_cast<MessageClass>(i)));
  table.rows = {
      {.what = "a request is answered once", .section = "§6.3", .cost = "sent responses", .per = "sent requests"},
      {.what = "an operation asks one other node at most",
       .section = "§6.2",
       .cost = "sent requests",
       .per = "operations",
       .least = 0},
      {.what = "what is asked for is sent once",
       .section = "§6.2",
       .cost = "sent requests",
       .per = counters + ".remote_requests",
       .of_each = false}};
  // Keys that are learnt go from the store into caches and back.
  if (learning) return table;
  table.rows.push_back({.what = "for a key that no cache of its node has, and whose home is another",
                        .section = "§6.2",
                        .cost = "sent requests",
                        .per = "store.answers_by_remote",
                        .of_each = false});
  const std::string accesses = counters + ".store_reads + " + counters + ".store_writes";
  const std::string answers = "store.answers_by_local + store.answers_by_remote";
  table.rows.push_back({.what = "what no cache answers is looked up or written in the store",
                        .section = "§6.2",
                        .cost = accesses,
                        .per = answers,
                        .most = models::CostRow::kAny,
                        .of_each = false});
  table.rows.push_back({.what = "once, and again where a write was met",
                        .section = "§6.2",
                        .cost = accesses,
                        .per = answers + " + " + counters + ".read_retries",
                        .least = 0,
                        .of_each = false});
  return table;
}

}  // namespace

void Cluster::messages_of(const p4::Packet& packet, std::vector<models::CostedMessage>& messages) const {
  const auto* bth = packet.find<models::Bth>();
  if (bth == nullptr) return;
  if (packet.content.empty()) return messages.push_back({number(MessageClass::credits), packet.operation});
  if (packet.content.holds<CacheMessage>()) {
    return messages.push_back({number(class_of(packet.content.as<CacheMessage>().type)), packet.operation});
  }
  if (packet.content.holds<ControlBatch>()) return;
  const bool response = !is_kvs_thread(models::Qpn{static_cast<std::uint32_t>(bth->dest_qp)});
  for (std::size_t i = 0; i < requests_in(packet.content); ++i) {
    messages.push_back(
        {number(response ? MessageClass::response : MessageClass::request), request_of(packet.content, i).operation});
  }
}

models::CostTable BaseOptions::costs(const models::RackOptions&) const {
  return costs_of_requests("cckvs_base", false);
}

models::CostTable Options::costs(const models::RackOptions& rack) const {
  models::CostTable table = costs_of_requests("cckvs", learning);
  const std::uint64_t others = rack.nodes - 1;
  const auto add = [&](const char* what, const char* section, const char* cost, const char* per, std::uint64_t most,
                       bool of_each) {
    table.rows.push_back(
        {.what = what, .section = section, .cost = cost, .per = per, .least = 0, .most = most, .of_each = of_each});
  };
  // What is not written in the store is a put of a cached key. One that is outdated before it got its credits is not
  // sent.
  const auto of_cached = [&](const char* what, const char* message) {
    table.rows.push_back({.what = what,
                          .section = "§5.2",
                          .cost = fmt::format("received {} + {} cckvs.store_writes", message, others),
                          .per = "writes",
                          .least = 0,
                          .most = others,
                          .of_each = false});
  };
  add("a put updates each other copy once", "§5.2", "received updates", "writes", others, true);
  if (rules.consistency == Consistency::sc) {
    if (!learning) of_cached("that is each put of a cached key", "updates");
    return table;
  }
  add("a put invalidates each other copy once", "§5.2", "received invalidations", "writes", others, true);
  if (!learning) of_cached("that is a put of a cached key", "invalidations");
  // The put with the lower timestamp gets no answer from those that have the higher one.
  add("an invalidation is acknowledged once", "§5.2", "sent acknowledgements", "received invalidations", 1, false);
  add("an update follows the acknowledgements of all", "§5.2", "received updates", "received acknowledgements", 1,
      false);
  return table;
}

}  // namespace racksim::cckvs
