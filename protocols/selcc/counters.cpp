// Names and meanings of SELCC's counters.
#include "protocols/selcc/counters.hpp"

namespace racksim::selcc {

Counters::Counters(sim::Metrics& m)
    : accesses(m.counter("selcc.accesses", "accesses", "accesses to lines, each with its latch")),
      local_accesses(m.counter("selcc.local_accesses", "accesses", "accesses that needed no verb (Table 1)")),
      shared_misses(m.counter("selcc.misses.shared", "accesses", "accesses that had to acquire Shared")),
      modified_misses(m.counter("selcc.misses.modified", "accesses", "accesses that had to acquire Modified")),
      upgrades(m.counter("selcc.misses.upgrade", "accesses", "accesses that had to turn Shared into Modified")),
      reads(m.counter("selcc.verbs.read", "verbs", "READs of lines")),
      writes(m.counter("selcc.verbs.write", "verbs", "WRITEs: flushes, answers, forwarded lines, confirmations")),
      swaps(m.counter("selcc.verbs.compare_swap", "verbs", "compare-and-swaps of latch words and of words")),
      adds(m.counter("selcc.verbs.fetch_add", "verbs", "fetch-and-adds to latch words and to words")),
      sends(m.counter("selcc.verbs.send", "verbs", "SENDs of invalidations")),
      asked_modified(m.counter("selcc.invalidations.case1", "messages", "writers' invalidations of Modified lines")),
      asked_for_reader(m.counter("selcc.invalidations.case2", "messages", "readers' invalidations of Modified lines")),
      asked_shared(m.counter("selcc.invalidations.case3", "messages", "writers' invalidations of Shared lines")),
      operations_with_invalidations(
          m.counter("selcc.accesses_with_invalidations", "accesses", "accesses that sent at least one invalidation")),
      given(m.counter("selcc.answers.given", "lines", "lines forwarded to whoever asked")),
      released(m.counter("selcc.answers.released", "messages", "invalidations obeyed without a line to give")),
      busy(m.counter("selcc.answers.busy", "messages", "invalidations dropped: local use, or too low a priority")),
      gone(m.counter("selcc.answers.gone", "messages", "invalidations dropped: the line was not held as thought")),
      deferred(m.counter("selcc.deferred", "messages", "invalidations kept until the line is free")),
      phantom_sharers(m.counter("selcc.phantom_sharers", "messages",
                                "invalidations of nodes that had no part in the word: it was read between additions")),
      undone(m.counter("selcc.undone", "verbs", "reader bits taken away since a writer was in the word")),
      own_traces(m.counter("selcc.own_traces", "attempts", "words in which a node found what it had left itself")),
      upgrade_fallbacks(m.counter("selcc.upgrade_fallbacks", "upgrades", "upgrades that released their share first")),
      yields(m.counter("selcc.yields", "lines", "lines given up since local threads had used them for long (γ)")),
      held_back(m.counter("selcc.held_back", "accesses", "reads held back for a starved writer")),
      flushes(m.counter("selcc.flushes", "lines", "dirty lines written to memory")),
      flushed_bytes(m.counter("selcc.flushed_bytes", "bytes", "of them")),
      evicted_shared(m.counter("selcc.evictions.shared", "lines", "Shared lines that were evicted")),
      evicted_modified(m.counter("selcc.evictions.modified", "lines", "Modified lines that were evicted")),
      frame_waits(m.counter("selcc.frame_waits", "waits", "misses that found no free frame")),
      ring_waits(m.counter("selcc.ring_waits", "waits", "evictions that found the copy-out ring full")),
      failed_verbs(m.counter("selcc.failed_verbs", "verbs", "verbs that ended in error: whoever waits is stuck")),
      claimed(m.counter("selcc.claimed", "lines", "lines that a dead node had given, whose word still named it")),
      rechecked(m.counter("selcc.rechecked", "lines", "lines that a dead node had given and never sent")),
      taken_out(m.counter("selcc.taken_out", "words", "words that dead nodes were taken out of")) {}

}  // namespace racksim::selcc
