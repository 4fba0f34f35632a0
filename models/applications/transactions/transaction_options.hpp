// The options that all schemas have beside those of applications and their own: how transactions are kept apart, where rows
// lie, and what a transaction costs its core.
#pragma once

#include <cstdint>
#include <string_view>

#include "models/applications/transactions/two_phase_commit/commit_options.hpp"
#include "models/host/log_device.hpp"
#include "sim/kernel/time.hpp"
#include "sim/options/parameters.hpp"

namespace racksim::app {

/// How rows of a table lie in lines, which are the memory's units of locks and of coherence.
enum class RowLayout : std::uint8_t {
  padded,     ///< each alone
  warehouse,  ///< packed; each part of a table begins with a line of its own
  heap        ///< packed, whatever part they are of, in the order of their keys at each node
};
/// Which memory nodes have them.
enum class RowSpread : std::uint8_t {
  parts,   ///< a part lies at one node, and as many at each
  uniform  ///< lines are dealt out to all nodes
};

struct TransactionOptions {
  enum class Concurrency : std::uint8_t { two_phase_locking, timestamp_ordering, optimistic, two_phase_commit };
  enum class Stamps : std::uint8_t { offered, atomic, locked };
  enum class Rules : std::uint8_t { safe, code };

  Concurrency concurrency = Concurrency::two_phase_locking;
  RowLayout layout = RowLayout::warehouse;
  RowSpread spread = RowSpread::parts;
  Stamps stamps = Stamps::offered;
  Rules rules = Rules::safe;
  sim::Duration bracket_cost = sim::Duration::from_ps(300'000);
  sim::Duration row_cost = sim::Duration::from_ps(1'000'000);
  sim::Duration wait = sim::Duration::from_ps(1'000'000);
  std::uint64_t warm_rows = 0;
  bool logging = false;
  models::LogOptions log;
  two_phase_commit::CommitOptions commit;

  void declare(sim::Parameters& p);
  /// The name of the engine (engine.hpp).
  std::string_view engine() const;
};

}  // namespace racksim::app
