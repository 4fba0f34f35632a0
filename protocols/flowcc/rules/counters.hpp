// What FlowCC counts, over all nodes.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "protocols/flowcc/rules/block.hpp"
#include "sim/metrics/metrics.hpp"

namespace racksim::flowcc {

/// By the type of its request: coherence events.
class EventCounters {
 public:
  explicit EventCounters(sim::Metrics& m) {
    using enum MessageType;
    constexpr std::pair<MessageType, const char*> kNames[] = {
        {read_miss, "read_miss"},          {write_miss, "write_miss"},         {write_shared, "write_shared"},
        {evict_shared, "evict_shared"},    {evict_modified, "evict_modified"}, {lock_shared, "lock_shared"},
        {lock_exclusive, "lock_exclusive"}};
    for (const auto& [type, name] : kNames) {
      of_[static_cast<std::size_t>(type)] = &m.counter(std::string("flowcc.requests.") + name, "events",
                                                       std::string("coherence events of type ") + to_string(type));
    }
  }
  void count(MessageType type) { ++of_[static_cast<std::size_t>(type)]->value; }

 private:
  std::array<sim::Counter*, 1 + static_cast<std::size_t>(MessageType::lock_exclusive)> of_{};
};

/// Counters under "flowcc.".
struct Counters {
  sim::Metrics& m;
  EventCounters by_type{m};
  // clang-format off
  sim::Counter& local_hits = m.counter("flowcc.local_hits", "operations", "operations that the local cache served at once");
  sim::Counter& merged_misses = m.counter("flowcc.merged_misses", "operations", "waits for another thread's event on the block");
  sim::Counter& events = m.counter("flowcc.events", "events", "coherence events that ended, with success or a failed ACK");
  sim::Counter& switch_events = m.counter("flowcc.switch_events", "events", "of which were of a block that the switch owns");
  sim::Counter& failed_events = m.counter("flowcc.failed_events", "events", "coherence events that ended with a failed ACK");
  sim::Counter& request_retransmissions = m.trouble("flowcc.request_retransmissions", "packets", "coherence requests sent again after a timeout");
  sim::Counter& unlock_retransmissions = m.trouble("flowcc.unlock_retransmissions", "packets", "unlocks sent again after a timeout");
  sim::Counter& home_received = m.counter("flowcc.home_agent.packets_received", "packets", "packets that home agents received");
  sim::Counter& home_sent = m.counter("flowcc.home_agent.packets_sent", "packets", "packets that home agents sent, data included");
  sim::Counter& cache_received = m.counter("flowcc.cache_agent.packets_received", "packets", "packets that cache agents received");
  sim::Counter& cache_sent = m.counter("flowcc.cache_agent.packets_sent", "packets", "packets that cache agents sent, data included");
  sim::Counter& requester_received = m.counter("flowcc.requester.packets_received", "packets", "packets that requesters received");
  sim::Counter& requester_sent = m.counter("flowcc.requester.packets_sent", "packets", "packets that requesters sent, write-backs included");
  sim::Counter& invalidations = m.counter("flowcc.invalidations", "blocks", "copies that cache agents invalidated");
  sim::Counter& data_blocks = m.counter("flowcc.data_blocks", "blocks", "blocks that agents sent to requesters");
  sim::Counter& write_backs = m.counter("flowcc.write_backs", "blocks", "blocks that requesters wrote back to their homes");
  sim::Counter& ignored_requests = m.counter("flowcc.ignored_requests", "packets", "requests that an agent ignored as older than the last");
  sim::Counter& repeated_requests = m.counter("flowcc.repeated_requests", "packets", "requests that an agent acknowledged again");
  sim::Counter& failed_transfers = m.trouble("flowcc.failed_transfers", "blocks",
                                             "blocks whose RDMA WRITE ran out of retries: whoever waits for one is stuck");
  sim::Counter& provided_events = m.counter("flowcc.provided_events", "events", "misses whose data came from a holder");
  sim::Counter& data_providers = m.counter("flowcc.data_providers", "nodes",
                                           "holders that were asked for the data of those, by their last transmission: one each");
  sim::Counter& block_locks = m.counter("flowcc.locks.granted", "locks", "locks of blocks that owners granted to applications");
  sim::Counter& waits_for_sibling = m.counter("flowcc.locks.waits_for_sibling", "locks",
                                              "requests for a lock that waited for a thread of the same node");
  sim::Counter& handovers = m.counter("flowcc.locks.handovers", "locks", "locks handed over within a node");
  sim::Counter& lock_log_writes = m.counter("flowcc.locks.log_writes", "writes",
                                            "RDMA WRITEs by which granted locks were put into the logs of other nodes, or taken out");
  sim::Counter& locks_after_death = m.counter("flowcc.locks.after_death", "locks", "granted ones whose last holder had died with them");
  // clang-format on
};

}  // namespace racksim::flowcc
