// What GAM counts, over all nodes, from the start of the run.
#pragma once

#include "sim/metrics/metrics.hpp"

namespace racksim::gam {

/// Counters under "gam.".
struct Counters {
  sim::Metrics& m;
  // Accesses and locks by where the line's home is, and what those of remote lines needed.
  // clang-format off
  sim::Counter& home_accesses = m.counter("gam.accesses.home", "requests", "accesses and locks of lines whose home is the node");
  sim::Counter& accesses = m.counter("gam.accesses.remote", "requests", "accesses and locks of other nodes' lines");
  sim::Counter& local_accesses = m.counter("gam.accesses.hits", "requests", "of those, that the cache could serve");
  sim::Counter& read_misses = m.counter("gam.requests.read", "requests", "READs sent");
  sim::Counter& write_misses = m.counter("gam.requests.write", "requests", "WRITEs sent");
  sim::Counter& upgrades = m.counter("gam.requests.write_permission_only", "requests", "WRITE_PERMISSION_ONLYs sent");
  // Workflows that take messages (Figures 3 and 4), counted at the home as they begin.
  sim::Counter& home_reads_dirty = m.counter("gam.workflows.home_read_dirty", "times", "the home read a Dirty line: 2 messages");
  sim::Counter& home_writes_shared = m.counter("gam.workflows.home_write_shared", "times", "the home wrote a line of k sharers: 2 k messages");
  sim::Counter& home_writes_dirty = m.counter("gam.workflows.home_write_dirty", "times", "the home wrote a Dirty line: 2 messages");
  // Of home and remote lines alike, an access that waits for a line that its node has asked for already needs no request
  // of its own, and counts as served; so the share does not depend on how many writes a session has under way.
  const sim::Quotient& hit_ratio =
      m.rest("gam.hit_ratio", "accesses for which their node, the line's home too, had to ask nobody",
             {&read_misses, &write_misses, &upgrades, &home_reads_dirty, &home_writes_shared, &home_writes_dirty},
             {&accesses, &home_accesses});
  sim::Counter& remote_reads_clean = m.counter("gam.workflows.remote_read_clean", "times", "a node read a line that is not Dirty: 2 messages");
  sim::Counter& remote_reads_dirty = m.counter("gam.workflows.remote_read_dirty", "times", "a node read a Dirty line: 4 messages");
  sim::Counter& remote_writes_unshared = m.counter("gam.workflows.remote_write_unshared", "times", "a node wrote an UnShared line: 2 messages");
  sim::Counter& remote_writes_shared = m.counter("gam.workflows.remote_write_shared", "times",
                                                 "a node wrote a line of k other sharers: 2 k + 2 messages");
  sim::Counter& remote_writes_dirty = m.counter("gam.workflows.remote_write_dirty", "times", "a node wrote a Dirty line: 5 messages");
  sim::Counter& evicted_shared = m.counter("gam.workflows.evict_shared", "times", "a Shared line was evicted: 1 message");
  sim::Counter& evicted_dirty = m.counter("gam.workflows.evict_dirty", "times", "a Dirty line was evicted: 2 messages");
  sim::Counter& overfull = m.counter("gam.cache.overfull", "times",
                                     "a cache stayed above its threshold: all that it has was in transition, locked or waited for");
  // What they send and wait for.
  sim::Counter& invalidations = m.counter("gam.invalidations", "messages", "invalidations sent to sharers");
  sim::Counter& denied = m.counter("gam.denied", "messages", "denials of try-locks");
  sim::Counter& merged = m.counter("gam.pending.requests", "requests", "a node's own requests that had to wait for their line");
  sim::Counter& blocked = m.counter("gam.pending.messages", "messages", "other nodes' messages that had to wait for their line");
  // Messages by channel.
  sim::Counter& control = m.counter("gam.messages.control", "messages", "sent by the control channel");
  sim::Counter& data = m.counter("gam.messages.data", "messages", "sent by the data channel: with a line");
  sim::Counter& notifications = m.counter("gam.messages.notification", "messages", "sent by the notification channel");
  sim::Counter& handled = m.counter("gam.messages.handled", "messages", "that workers have handled");
  sim::Counter& send_queue_waits = m.counter("gam.channels.waits", "messages", "messages that met a full send queue");
  sim::Counter& merged_messages = m.counter("gam.channels.merged", "messages", "of those, that went with the one before");
  sim::Counter& reconnections = m.counter("gam.channels.reconnections", "times", "queue pairs were set up again");
  sim::Counter& completions = m.counter("gam.channels.completions", "completions", "of signalled work requests, which workers polled");
  // Logging and recovery (§5), and what is lost without.
  sim::Counter& dlogs = m.counter("gam.log.dlog", "entries", "contents of lines logged");
  sim::Counter& ologs = m.counter("gam.log.olog", "entries", "transfers of ownership logged");
  sim::Counter& log_stalls = m.counter("gam.log.stalls", "entries", "that had to wait for room in the device of their log");
  sim::Counter& undone = m.counter("gam.log.undo", "entries", "transfers that recovery has found void");
  sim::Counter& promoted = m.counter("gam.recovery.promoted", "lines", "whose owner by the log is the owner again");
  sim::Counter& restored = m.counter("gam.recovery.restored", "lines", "that recovery has put into their home's memory");
  sim::Counter& announced = m.counter("gam.recovery.announced", "lines", "Shared copies that recovery has put on the list again");
  sim::Counter& asked_again = m.counter("gam.recovery.asked_again", "requests", "sent anew to a home that has come back");
  sim::Counter& sent_again = m.counter("gam.recovery.sent_again", "messages", "with a line that may have been lost with its sender");
  sim::Counter& late = m.counter("gam.recovery.late", "messages", "dropped: about what was given up when a node failed");
  sim::Counter& lost_homed = m.trouble("gam.lost.homed", "lines", "without logging: lost with their home, nobody owned them");
  sim::Counter& lost_owned = m.trouble("gam.lost.owned", "lines", "without logging: lost with their owner");
  // clang-format on
};

}  // namespace racksim::gam
