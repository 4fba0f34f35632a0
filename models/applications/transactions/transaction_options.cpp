// Declarations. See transaction_options.hpp.
#include "models/applications/transactions/transaction_options.hpp"

#include <array>
#include <utility>

namespace racksim::app {

using namespace sim::literals;

void TransactionOptions::declare(sim::Parameters& p) {
  p.choice("concurrency", concurrency,
           {{"2pl", Concurrency::two_phase_locking},
            {"to", Concurrency::timestamp_ordering},
            {"occ", Concurrency::optimistic},
            {"2pc", Concurrency::two_phase_commit}},
           "what keeps transactions apart: two-phase locking that does not wait, timestamp ordering, or optimistic "
           "concurrency control; or nodes that keep their parts for themselves, and two-phase commit between them")
      .varied({Concurrency::two_phase_locking, Concurrency::timestamp_ordering, Concurrency::optimistic});
  p.choice(
       "layout", layout,
       {{"padded", RowLayout::padded}, {"warehouse", RowLayout::warehouse}, {"heap", RowLayout::heap}},
       "whether a row has its line alone, shares it with rows of its part of the table, or with any of the table at "
       "its node")
      .varied({RowLayout::padded, RowLayout::warehouse, RowLayout::heap});
  p.choice("spread", spread, {{"parts", RowSpread::parts}, {"uniform", RowSpread::uniform}},
           "whether a part's rows lie at one memory node, or are dealt out to all of them line by line")
      .varied({RowSpread::parts, RowSpread::uniform});
  p.choice("stamps", stamps, {{"offered", Stamps::offered}, {"atomic", Stamps::atomic}, {"locked", Stamps::locked}},
           "of timestamp ordering: the counter that stamps come from is raised by fetch-and-add, or under a lock; "
           "offered: by fetch-and-add where the memory has it")
      .varied({Stamps::offered, Stamps::locked});
  p.choice("to_rules", rules, {{"safe", Rules::safe}, {"code", Rules::code}},
           "of timestamp ordering: writes wait for their commit behind a mark, or, as published code has it, are shown "
           "at once and copied back by an abort, and a later reader may lower the stamp of reads")
      .guards(Rules::code, "transactions read what is never committed, and lose updates",
              "applications/transactions.json/to-code-rules");
  p.length("transaction_cost", bracket_cost, 0_ps, 1_s, "of the thread's core, to begin and end a transaction")
      .estimate("300 ns, assumed: a few cache lines of its own state");
  p.length("row_cost", row_cost, 0_ps, 1_s, "of the thread's core, for a row that is looked up: to find and use it")
      .estimate("1 us, assumed: row logic of a transaction");
  p.length(
       "wait", wait, 100_ns, 1_s,
       "of timestamp ordering: how long a transaction pauses that has met the mark of an older one, before it looks "
       "again")
      .estimate("1 us, assumed: about what a row takes");
  p.integer("warm_rows", warm_rows, 0, std::uint64_t{1} << 40,
            "rows that each thread reads before the run, of parts that its node has, all alike likely")
      .varied({0, 20});
  p.flag("logging", logging,
         "whether a transaction that commits is made durable first, in its node's log; always so with two-phase commit")
      .neutral(false);
  log.declare(p);
  commit.declare(p);
}

std::string_view TransactionOptions::engine() const {
  static constexpr std::array<std::string_view, 4> kNames{"2pl", "to", "occ", "2pc"};
  return kNames[static_cast<std::size_t>(concurrency)];
}

}  // namespace racksim::app
