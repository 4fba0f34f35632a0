// Names and meanings of FlowCC's counters.
#include "protocols/flowcc/rules/counters.hpp"

namespace racksim::flowcc {

Counters::Counters(sim::Metrics& m)
    : local_hits(m.counter("flowcc.local_hits", "operations", "operations that the local cache served at once")),
      merged_misses(m.counter("flowcc.merged_misses", "operations", "waits for another thread's event on the block")),
      read_misses(m.counter("flowcc.requests.read_miss", "events", "coherence events of type READ-MISS")),
      write_misses(m.counter("flowcc.requests.write_miss", "events", "coherence events of type WRITE-MISS")),
      write_shareds(m.counter("flowcc.requests.write_shared", "events", "coherence events of type WRITE-SHARED")),
      evict_shareds(m.counter("flowcc.requests.evict_shared", "events", "coherence events of type EVICT-SHARED")),
      evict_modifieds(m.counter("flowcc.requests.evict_modified", "events", "coherence events of type EVICT-MODIFIED")),
      lock_shareds(m.counter("flowcc.requests.lock_shared", "events", "coherence events of type LOCK (shared)")),
      lock_exclusives(
          m.counter("flowcc.requests.lock_exclusive", "events", "coherence events of type LOCK (exclusive)")),
      events(m.counter("flowcc.events", "events", "coherence events that ended, with success or a failed ACK")),
      switch_events(m.counter("flowcc.switch_events", "events", "of which were of a block that the switch owns")),
      failed_events(m.counter("flowcc.failed_events", "events", "coherence events that ended with a failed ACK")),
      request_retransmissions(
          m.counter("flowcc.request_retransmissions", "packets", "coherence requests sent again after a timeout")),
      unlock_retransmissions(
          m.counter("flowcc.unlock_retransmissions", "packets", "unlocks sent again after a timeout")),
      home_received(m.counter("flowcc.home_agent.packets_received", "packets", "packets that home agents received")),
      home_sent(m.counter("flowcc.home_agent.packets_sent", "packets", "packets that home agents sent, data included")),
      cache_received(m.counter("flowcc.cache_agent.packets_received", "packets", "packets that cache agents received")),
      cache_sent(
          m.counter("flowcc.cache_agent.packets_sent", "packets", "packets that cache agents sent, data included")),
      requester_received(m.counter("flowcc.requester.packets_received", "packets", "packets that requesters received")),
      requester_sent(
          m.counter("flowcc.requester.packets_sent", "packets", "packets that requesters sent, write-backs included")),
      invalidations(m.counter("flowcc.invalidations", "blocks", "copies that cache agents invalidated")),
      data_blocks(m.counter("flowcc.data_blocks", "blocks", "blocks that agents sent to requesters")),
      write_backs(m.counter("flowcc.write_backs", "blocks", "blocks that requesters wrote back to their homes")),
      ignored_requests(
          m.counter("flowcc.ignored_requests", "packets", "requests that an agent ignored as older than the last")),
      repeated_requests(m.counter("flowcc.repeated_requests", "packets", "requests that an agent acknowledged again")),
      failed_transfers(m.counter("flowcc.failed_transfers", "blocks",
                                 "blocks whose RDMA WRITE ran out of retries: whoever waits for one is stuck")),
      provided_events(m.counter("flowcc.provided_events", "events", "misses whose data came from a holder")),
      data_providers(m.counter("flowcc.data_providers", "nodes",
                               "holders that were asked for the data of those, by their last transmission: one each")),
      block_locks(m.counter("flowcc.locks.granted", "locks", "locks of blocks that owners granted to applications")),
      waits_for_sibling(m.counter("flowcc.locks.waits_for_sibling", "locks",
                                  "requests for a lock that waited for a thread of the same node")),
      handovers(m.counter("flowcc.locks.handovers", "locks", "locks handed over within a node")),
      locks_after_death(
          m.counter("flowcc.locks.after_death", "locks", "granted ones whose last holder had died with them")) {}

}  // namespace racksim::flowcc
