// What an exploration of ccKVS explores: how many nodes and sessions, how many operations, and what may go wrong.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocols/cckvs/keys/rules.hpp"
#include "protocols/cckvs/keys/timestamp.hpp"
#include "sim/exploration/model.hpp"
#include "sim/record/coverage.hpp"

namespace racksim::cckvs {

struct ExploreOptions : sim::ExplorationOptions {
  enum class Network : std::uint8_t { unordered, fifo };

  explicit ExploreOptions(Consistency consistency) { rules.consistency = consistency; }

  Rules rules;
  std::uint64_t nodes = 3, keys = 2;
  std::string sessions = "0,1,2";
  bool sessions_roam = false;
  bool clients = true, invariants = true;
  std::uint64_t operations = 2, puts = 3;
  std::uint64_t version_bits = 2;
  bool wrap = false;
  Network network = Network::unordered;
  std::uint64_t losses = 0, duplicates = 0, timeouts = 0, changes = 0;
  bool cached_at_first = true;
  sim::CoverageProbe coverage;  ///< of the rows of the transition tables; no option

  void declare(sim::Parameters& p) override;
  std::vector<Part> build() const override;

  bool is_lin() const { return rules.consistency == Consistency::lin; }
  bool judges_linearizations() const { return is_lin() && clients; }
  bool hands_over() const { return changes > 0 || !cached_at_first; }
  /// The node of each session.
  std::vector<NodeId> session_nodes() const;
  /// No put begins with this version.
  std::uint32_t last_version() const { return (std::uint32_t{1} << version_bits) - 1; }
  /// The rules of the caches: versions that do not wrap compare as those of one bit more do, and end before puts do.
  Rules cache_rules() const;
};

}  // namespace racksim::cckvs
