// What an exploration of FlowCC explores: how many operations and migrations, what may go wrong, and which rules hold.
#pragma once

#include <cstdint>
#include <vector>

#include "protocols/flowcc/rules/options.hpp"
#include "sim/exploration/model.hpp"

namespace racksim::flowcc {

struct ExploreOptions : sim::ExplorationOptions {
  enum class Network : std::uint8_t { unordered, fifo };

  std::uint64_t operations = 1;
  bool reads = true, writes = true, evictions = true;
  bool home_apart = false, in_switch_at_first = false;
  std::uint64_t adds = 1, removes = 1, foreign = 0;
  std::uint64_t losses = 1, duplicates = 1, timeouts = 0;
  Network network = Network::unordered;
  bool ordered_resubmits = true;
  /// Of the protocol: its rules, of which each can be dropped.
  FlowCcOptions flowcc = protocol_options();

  void declare(sim::Parameters& p) override;
  std::vector<Part> build() const override;

  /// Two ways of one entry, and blocks that migrate.
  static FlowCcOptions protocol_options();
  /// Node 0 and 1 have a requester each. The block's home is node 0, or one without a requester.
  models::NodeId home() const { return home_apart ? 2 : 0; }
  unsigned nodes() const { return home_apart ? 3 : 2; }
};

}  // namespace racksim::flowcc
