// What an exploration of SELCC explores: what the nodes do, how often they evict, and which rules hold.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "protocols/selcc/options.hpp"
#include "sim/exploration/model.hpp"

namespace racksim::selcc {

struct ExploreOptions : sim::ExplorationOptions {
  /// The actors among 58 compute nodes: the reader whose bit, twice in a word, makes an id, and the nodes that such ids
  /// name.
  static constexpr std::array<models::NodeId, 4> kNodes{0, 1, 2, 57};
  static constexpr std::uint64_t kComputeNodes = 58;

  std::string programs = "w,ww,-,rr";
  std::uint64_t evictions = 2;
  bool uses = false;
  /// Of the protocol: its rules, of which each can be dropped.
  Options selcc = protocol_options();

  void declare(sim::Parameters& p) override;
  std::vector<Part> build() const override;

  /// By actor: 'r' and 'w' for a read and a write, 's' and 'x' for try-locks. Throws OptionError.
  std::array<std::string, kNodes.size()> parsed_programs() const;

  /// Of time and priorities nothing is left, an upgrade falls back when it has failed twice, and a try-lock gives up then.
  static Options protocol_options();
};

}  // namespace racksim::selcc
