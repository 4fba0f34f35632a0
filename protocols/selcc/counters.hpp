// What SELCC counts, over all nodes, from the start of the run.
#pragma once

#include "sim/metrics/metrics.hpp"

namespace racksim::selcc {

/// Counters under "selcc.".
struct Counters {
  sim::Metrics& m;
  // clang-format off
  sim::Counter& accesses = m.counter("selcc.accesses", "accesses", "accesses to lines, each with its latch");
  sim::Counter& local_accesses = m.counter("selcc.local_accesses", "accesses", "accesses that needed no verb (Table 1)");
  sim::Counter& shared_misses = m.counter("selcc.misses.shared", "accesses", "accesses that had to acquire Shared");
  sim::Counter& modified_misses = m.counter("selcc.misses.modified", "accesses", "accesses that had to acquire Modified");
  sim::Counter& upgrades = m.counter("selcc.misses.upgrade", "accesses", "accesses that had to turn Shared into Modified");
  sim::Counter& reads = m.counter("selcc.verbs.read", "verbs", "READs of lines");
  sim::Counter& writes = m.counter("selcc.verbs.write", "verbs", "WRITEs: flushes, answers, forwarded lines, confirmations");
  sim::Counter& swaps = m.counter("selcc.verbs.compare_swap", "verbs", "compare-and-swaps of latch words and of words");
  sim::Counter& adds = m.counter("selcc.verbs.fetch_add", "verbs", "fetch-and-adds to latch words and to words");
  sim::Counter& sends = m.counter("selcc.verbs.send", "verbs", "SENDs of invalidations");
  sim::Counter& asked_modified = m.counter("selcc.invalidations.case1", "messages", "writers' invalidations of Modified lines");
  sim::Counter& asked_for_reader = m.counter("selcc.invalidations.case2", "messages", "readers' invalidations of Modified lines");
  sim::Counter& asked_shared = m.counter("selcc.invalidations.case3", "messages", "writers' invalidations of Shared lines");
  sim::Counter& operations_with_invalidations = m.counter("selcc.accesses_with_invalidations", "accesses",
                                                          "accesses that sent at least one invalidation");
  sim::Counter& given = m.counter("selcc.answers.given", "lines", "lines forwarded to whoever asked");
  sim::Counter& released = m.counter("selcc.answers.released", "messages", "invalidations obeyed without a line to give");
  sim::Counter& busy = m.counter("selcc.answers.busy", "messages", "invalidations dropped: local use, or too low a priority");
  sim::Counter& gone = m.counter("selcc.answers.gone", "messages", "invalidations dropped: the line was not held as thought");
  sim::Counter& unasked = m.counter("selcc.answers.unasked", "messages", "answers to invalidations that were waited for no more");
  sim::Counter& deferred = m.counter("selcc.deferred", "messages", "invalidations kept until the line is free");
  sim::Counter& phantom_sharers = m.counter("selcc.phantom_sharers", "messages",
                                            "invalidations of nodes that had no part in the word: it was read between additions");
  sim::Counter& undone = m.counter("selcc.undone", "verbs", "reader bits taken away since a writer was in the word");
  sim::Counter& own_traces = m.counter("selcc.own_traces", "attempts", "words in which a node found what it had left itself");
  sim::Counter& upgrade_fallbacks = m.counter("selcc.upgrade_fallbacks", "upgrades", "upgrades that released their share first");
  sim::Counter& yields = m.counter("selcc.yields", "lines", "lines given up since local threads had used them for long (γ)");
  sim::Counter& held_back = m.counter("selcc.held_back", "accesses", "reads held back for a starved writer");
  sim::Counter& refused = m.counter("selcc.refused", "try-locks", "try-locks that found their line in use, or no free frame");
  sim::Counter& flushes = m.counter("selcc.flushes", "lines", "dirty lines written to memory");
  sim::Counter& flushed_bytes = m.counter("selcc.flushed_bytes", "bytes", "of them");
  sim::Counter& evicted_shared = m.counter("selcc.evictions.shared", "lines", "Shared lines that were evicted");
  sim::Counter& evicted_modified = m.counter("selcc.evictions.modified", "lines", "Modified lines that were evicted");
  sim::Counter& frame_waits = m.counter("selcc.frame_waits", "waits", "misses that found no free frame");
  sim::Counter& ring_waits = m.counter("selcc.ring_waits", "waits", "evictions that found the copy-out ring full");
  sim::Counter& failed_verbs = m.trouble("selcc.failed_verbs", "verbs", "verbs that ended in error: whoever waits is stuck");
  sim::Counter& claimed = m.counter("selcc.claimed", "lines", "lines that a dead node had given, whose word still named it");
  sim::Counter& rechecked = m.counter("selcc.rechecked", "lines", "lines that a dead node had given and never sent");
  sim::Counter& taken_out = m.counter("selcc.taken_out", "words", "words that dead nodes were taken out of");
  // clang-format on
  const sim::Quotient& local_share =
      m.share("selcc.local_share", "accesses that needed no verb", {&local_accesses}, {&accesses});
  const sim::Quotient& invalidation_share =
      m.share("selcc.invalidation_share", "accesses that sent invalidations (Figure 9)",
              {&operations_with_invalidations}, {&accesses});
};

}  // namespace racksim::selcc
