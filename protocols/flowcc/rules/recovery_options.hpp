// The options of recovery (recovery.hpp): the membership that it works by, what it costs, and the switches that turn
// off what it cannot do without.
#pragma once

#include "models/membership/membership_options.hpp"
#include "sim/options/parameters.hpp"

namespace racksim::flowcc {

struct RecoveryOptions {
  models::MembershipOptions membership;
  enum class OfNodes : std::uint8_t {
    rebuild,  ///< as after a failure of the switch
    printed   ///< requests are drained and locks released (Concordia §5.4)
  };
  OfNodes of_nodes = OfNodes::rebuild;
  /// Off: what a requester was writing back when all stopped is lost with its connection.
  bool write_backs = true;
  /// Off: a dirty block that a cache agent gave away is lost with the event that it was for, or the node.
  bool given_away = true;
  /// Off: a home takes its memory for newer than any copy.
  bool newest_copies = true;
  /// Off: homes are not told of the locks that applications hold.
  bool locks = true;
  /// Off: packets from before a recovery pass for new ones.
  bool incarnations = true;
  /// Of each recovery, beside what is modelled.
  sim::Duration rest;
  /// Core time of a cache agent to look at an entry for its report, and of a home agent for a block that is reported
  /// (assumed).
  static constexpr sim::Duration kWorkPerEntry = sim::Duration::from_ps(5'000);
  static constexpr sim::Duration kWorkPerReport = sim::Duration::from_ps(50'000);

  void declare(sim::Parameters& p);
};

}  // namespace racksim::flowcc
