// What is counted where blocks migrate.
#pragma once

#include "sim/metrics/metrics.hpp"

namespace racksim::flowcc {

/// Counters under "flowcc.migration." and "flowcc.shadow.".
struct MigrationCounters {
  sim::Metrics& m;
  // clang-format off
  sim::Counter& epochs = m.counter("flowcc.migration.epochs", "epochs", "epochs that have ended, of all home agents");
  sim::Counter& adds = m.counter("flowcc.migration.adds", "blocks", "blocks that home agents have sent ADD-TO-SWITCH for");
  sim::Counter& added = m.counter("flowcc.migration.added", "blocks", "of which the switch has taken");
  sim::Counter& collisions = m.counter("flowcc.migration.collisions", "blocks", "of which found all places taken");
  sim::Counter& removes = m.counter("flowcc.migration.removes", "blocks", "blocks that home agents have asked back");
  sim::Counter& removed = m.counter("flowcc.migration.removed", "blocks", "of which have come back to their homes");
  sim::Counter& busy_removes = m.counter("flowcc.migration.busy_removes", "blocks", "of which were locked, and have stayed");
  sim::Counter& skips = m.counter("flowcc.migration.skips", "blocks", "hot blocks that were locked at the end of an epoch");
  sim::Counter& drains = m.counter("flowcc.migration.drains", "blocks", "of which have taken no new holders from then on, until they moved");
  sim::Counter& retransmissions = m.trouble("flowcc.migration.retransmissions", "packets", "ADD, REMOVE and CLEAR sent again after a timeout");
  sim::Counter& packets = m.counter("flowcc.migration.packets", "packets",
                                    "packets of migration that home agents have sent and received, hints included");
  sim::Counter& refused_requests = m.counter("flowcc.migration.refused_requests", "packets",
                                             "requests that a home refused since it had given the block away, or was about to");
  sim::Counter& dropped_requests = m.counter("flowcc.migration.dropped_requests", "packets",
                                             "requests that a home dropped as older than the block's return");
  sim::Counter& reports = m.counter("flowcc.shadow.reports", "packets", "reports of invalidations that the shadow node received");
  sim::Counter& listings = m.counter("flowcc.shadow.listings", "packets", "lists of home agents that the shadow node received");
  sim::Counter& scans = m.counter("flowcc.shadow.scans", "scans", "scans of the shadow node for cold blocks");
  sim::Counter& notices = m.counter("flowcc.shadow.notices", "packets", "cold blocks that it would have removed");
  sim::Counter& takeovers = m.counter("flowcc.shadow.takeovers", "takeovers",
                                      "times that a server has become the shadow node for one that failed, recoveries aside");
  sim::Counter& tags_read = m.counter("flowcc.shadow.tags_read", "operations",
                                      "places of the switch that the control CPU has read for servers that did");
  sim::Counter& recoveries = m.trouble("flowcc.recovery.recoveries", "recoveries", "times that all nodes stopped and recovered");
  sim::Counter& recovery_time = m.counter("flowcc.recovery.time", "ns", "time from the beginning of each to its end, outage included");
  sim::Counter& recovery_work = m.counter("flowcc.recovery.work", "ns", "of which from when the switch took its program on, without `recovery.rest`");
  sim::Counter& saved = m.counter("flowcc.recovery.saved", "blocks", "blocks on their way home that were written there again");
  sim::Counter& reported = m.counter("flowcc.recovery.reported", "blocks", "cached blocks that cache agents have told homes of");
  sim::Counter& supplied = m.counter("flowcc.recovery.supplied", "blocks",
                                     "blocks of which homes had an older value, or none, and got that of a copy");
  sim::Counter& orphans = m.counter("flowcc.recovery.orphans", "locks", "locks of dead threads that witnesses have told homes of");
  sim::Counter& stale_packets = m.counter("flowcc.recovery.stale_packets", "packets",
                                          "packets of another incarnation that agents and requesters dropped");
  sim::Counter& lost_blocks = m.trouble("flowcc.recovery.lost_blocks", "blocks",
                                        "blocks of which acknowledged writes were lost with nodes that crashed");
  sim::Counter& unavailable = m.trouble("flowcc.recovery.unavailable", "operations",
                                        "reads and writes that ended with an error, for a home was down");
  // clang-format on
};

}  // namespace racksim::flowcc
