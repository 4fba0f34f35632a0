// Declarations. See commit_options.hpp.
#include "models/applications/transactions/two_phase_commit/commit_options.hpp"

namespace racksim::app::two_phase_commit {

void CommitOptions::declare(sim::Parameters& p) {
  using namespace sim::literals;
  p.integer(
       "commit.server_threads", server_threads, 0, 8,
       "threads at each node that serve the calls of other nodes, on cores of their own; 0: the application threads "
       "serve them beside their transactions")
      .neutral(server_threads);
  p.length("commit.call_cost", call_cost, 0_ns, 1_ms,
           "core time of a call at who serves it, beside its accesses: locks and copying")
      .estimate("500 ns, assumed: two look-ups in a hash table and a row")
      .neutral(call_cost);
  p.length("commit.call_timeout", call_timeout, 1_us, 1_s,
           "until a call without an answer is sent again: longer than a sync, but what comes twice does no harm")
      .neutral(call_timeout)
      .timeout();
  p.length("commit.patience", patience, 0_ns, 10_s,
           "after which a participant that has promised nothing, and hears nothing, gives its locks back and votes no; "
           "0: it waits for ever")
      .neutral(patience)
      .timeout();
  p.flag(
       "early_release", early_release,
       "a participant gives its locks back at its promise, as published code does, and not when it knows the decision")
      .neutral(false)
      .guards(true, "transactions read what is never committed", "applications/two-phase-commit.json/early-release");
}

}  // namespace racksim::app::two_phase_commit
