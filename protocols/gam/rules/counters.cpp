// Names and meanings of GAM's counters.
#include "protocols/gam/rules/counters.hpp"

namespace racksim::gam {

Counters::Counters(sim::Metrics& m)
    : home_accesses(m.counter("gam.accesses.home", "requests", "accesses and locks of lines whose home is the node")),
      accesses(m.counter("gam.accesses.remote", "requests", "accesses and locks of other nodes' lines")),
      local_accesses(m.counter("gam.accesses.hits", "requests", "of those, that the cache could serve")),
      read_misses(m.counter("gam.requests.read", "requests", "READs sent")),
      write_misses(m.counter("gam.requests.write", "requests", "WRITEs sent")),
      upgrades(m.counter("gam.requests.write_permission_only", "requests", "WRITE_PERMISSION_ONLYs sent")),
      home_reads_dirty(m.counter("gam.workflows.home_read_dirty", "times", "the home read a Dirty line: 2 messages")),
      home_writes_shared(
          m.counter("gam.workflows.home_write_shared", "times", "the home wrote a line of k sharers: 2 k messages")),
      home_writes_dirty(
          m.counter("gam.workflows.home_write_dirty", "times", "the home wrote a Dirty line: 2 messages")),
      remote_reads_clean(
          m.counter("gam.workflows.remote_read_clean", "times", "a node read a line that is not Dirty: 2 messages")),
      remote_reads_dirty(m.counter("gam.workflows.remote_read_dirty", "times", "a node read a Dirty line: 4 messages")),
      remote_writes_unshared(
          m.counter("gam.workflows.remote_write_unshared", "times", "a node wrote an UnShared line: 2 messages")),
      remote_writes_shared(m.counter("gam.workflows.remote_write_shared", "times",
                                     "a node wrote a line of k other sharers: 2 k + 2 messages")),
      remote_writes_dirty(
          m.counter("gam.workflows.remote_write_dirty", "times", "a node wrote a Dirty line: 5 messages")),
      evicted_shared(m.counter("gam.workflows.evict_shared", "times", "a Shared line was evicted: 1 message")),
      evicted_dirty(m.counter("gam.workflows.evict_dirty", "times", "a Dirty line was evicted: 2 messages")),
      invalidations(m.counter("gam.invalidations", "messages", "invalidations sent to sharers")),
      denied(m.counter("gam.denied", "messages", "denials of try-locks")),
      merged(m.counter("gam.pending.requests", "requests", "a node's own requests that had to wait for their line")),
      blocked(m.counter("gam.pending.messages", "messages", "other nodes' messages that had to wait for their line")),
      control(m.counter("gam.messages.control", "messages", "sent by the control channel")),
      data(m.counter("gam.messages.data", "messages", "sent by the data channel: with a line")),
      notifications(m.counter("gam.messages.notification", "messages", "sent by the notification channel")),
      handled(m.counter("gam.messages.handled", "messages", "that workers have handled")),
      send_queue_waits(m.counter("gam.channels.waits", "messages", "messages that met a full send queue")),
      merged_messages(m.counter("gam.channels.merged", "messages", "of those, that went with the one before")),
      reconnections(m.counter("gam.channels.reconnections", "times", "queue pairs were set up again")),
      completions(
          m.counter("gam.channels.completions", "completions", "of signalled work requests, which workers polled")),
      dlogs(m.counter("gam.log.dlog", "entries", "contents of lines logged")),
      ologs(m.counter("gam.log.olog", "entries", "transfers of ownership logged")),
      log_stalls(m.counter("gam.log.stalls", "entries", "that had to wait for room in the device of their log")),
      undone(m.counter("gam.log.undo", "entries", "transfers that recovery has found void")),
      promoted(m.counter("gam.recovery.promoted", "lines", "whose owner by the log is the owner again")),
      restored(m.counter("gam.recovery.restored", "lines", "that recovery has put into their home's memory")),
      announced(m.counter("gam.recovery.announced", "lines", "Shared copies that recovery has put on the list again")),
      asked_again(m.counter("gam.recovery.asked_again", "requests", "sent anew to a home that has come back")),
      sent_again(
          m.counter("gam.recovery.sent_again", "messages", "with a line that may have been lost with its sender")),
      late(m.counter("gam.recovery.late", "messages", "dropped: about what was given up when a node failed")),
      lost_homed(m.counter("gam.lost.homed", "lines", "without logging: lost with their home, nobody owned them")),
      lost_owned(m.counter("gam.lost.owned", "lines", "without logging: lost with their owner")) {}

}  // namespace racksim::gam
