// What decides when ownership of a block migrates between its home agent and the switch (Concordia §5.2), and the rules
// that make migration safe (lcf_program.hpp, home_migration.hpp), each of which can be turned off to see what breaks.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/options/parameters.hpp"

namespace racksim::flowcc {

/// Each rule, and what breaks without it.
struct MigrationRules {
  /// A home that has sent ADD refuses requests that the switch passed on, until it has the block back. Off: it serves
  /// them once ADD is acknowledged, as the paper's home "releases the lock": two owners.
  bool mark = true;
  /// Requests that miss carry the number of the home's last CLEAR, and a home drops those from before the block came
  /// back. Off: one that a whole ADD and REMOVE has overtaken takes a lock for an event that is over.
  bool stamp = true;
  /// An unlock changes something only where its event holds the lock: by its score in the switch, by the holder's
  /// number at home. Off: a late one that finds the other owner writes old metadata.
  bool unlock_by_holder = true;
  /// An ADD that finds its tag changes nothing. Off: it puts metadata back that the switch has moved on from.
  bool keep_found = true;
  /// ADD takes two passes, of which the second inserts what the first has looked for in all ways and recorded. Off: one
  /// pass, which takes the first free way: a repeated ADD puts its tag into a second one.
  bool two_pass_add = true;
  /// Home agents' packets to the switch have serial numbers too. Off: an old copy of ADD, REMOVE or CLEAR is executed.
  bool home_serials = true;
  /// REMOVE locks and answers, and only CLEAR gives the block up. Off: one exchange, as printed: when its answer is
  /// lost the block belongs to nobody.
  bool two_phase_remove = true;

  void declare(sim::Parameters& p);
  bool all() const {
    return mark && stamp && unlock_by_holder && keep_found && two_pass_add && home_serials && two_phase_remove;
  }
  static constexpr MigrationRules none() { return {false, false, false, false, false, false, false}; }
};

/// Home agents' part.
struct MigrationOptions {
  enum class Rules : std::uint8_t {
    safe,    ///< those of MigrationRules that are on
    printed  ///< §5.2.1 as it stands: none of them
  };

  sim::Duration epoch = sim::Duration::from_ps(10'000'000'000);  ///< §5.2.2: "e.g., 10ms"
  std::uint64_t top_k = 1000;                                    ///< §5.2.2: "e.g., 1000"
  std::uint64_t timeout_rtts = 6;                                ///< as of requests (§5.3.1, footnote 5)
  std::uint64_t skips = 3;
  std::uint64_t listed = 512;
  Rules which = Rules::safe;
  MigrationRules rules;

  /// Core time of an agent at an epoch's end for each block that it has counted (assumed: a pass over a small table).
  static constexpr sim::Duration kWorkPerBlock = sim::Duration::from_ps(10'000);

  /// Those that hold.
  MigrationRules effective() const { return which == Rules::safe ? rules : MigrationRules::none(); }
  void declare(sim::Parameters& p);
};

/// The shadow node's (§5.2.2).
struct ShadowOptions {
  bool active = true;
  std::optional<std::uint64_t> node;  ///< null: a server of its own, the rack's last
  /// When its server fails a backup takes over (§5.4). Off: nobody does, until the server is back.
  bool backup = true;
  std::optional<std::uint64_t> backup_node;  ///< null: the first memory node that is there
  sim::Duration scan_period = sim::Duration::from_ps(50'000'000'000);
  double free_share = 0.05;
  std::uint64_t halvings = 1;
  sim::Duration work = sim::Duration::from_ps(100'000);
  /// Core time for each entry of SHADOW-TAG that a scan or a report looks at (assumed).
  static constexpr sim::Duration kWorkPerEntry = sim::Duration::from_ps(2'000);

  void declare(sim::Parameters& p);
};

}  // namespace racksim::flowcc
