// The options of `rack.topology`: one switch with all servers on it, or racks whose top-of-rack switches hang on a
// spine (StarCache §3.9), and which pipes of a switch are used (§3.10).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/rack/topology.hpp"
#include "models/switch/switch_options.hpp"
#include "sim/kernel/time.hpp"
#include "sim/options/parameters.hpp"

namespace racksim::models {

struct TopologyOptions {
  /// How many racks: of more than one each has a switch, "tor0" and so on, and all of them hang on a switch "spine".
  std::uint64_t racks = 1;
  /// Servers of the last rack; those of the others are as many as possible of what remains, shared out evenly, with
  /// those that are over in the first ones. 0: of the last one too.
  std::uint64_t last_rack = 0;
  std::uint64_t pipes = 1;    ///< over which the servers of a switch, and its links to the spine, are spread in turn
  std::uint64_t uplinks = 0;  ///< links from each rack's switch to the spine; 0: one for each of these pipes
  std::uint64_t uplink_bits_per_second = 100'000'000'000;
  sim::Duration uplink_propagation = 100_ns;

  std::uint64_t links_of_a_rack() const { return uplinks == 0 ? pipes : uplinks; }

  void declare(sim::Parameters& parameters);

  /// The servers of each rack, in the order of their ids. Throws sim::OptionError when they do not fill the racks.
  std::vector<std::uint64_t> servers_of_racks(std::uint64_t nodes) const;
  /// The names of the switches, and of the links between them, if there are several racks.
  std::vector<std::string> switch_names() const;
  std::vector<std::string> link_names() const;
  /// The graph for so many servers on such links and switches. Servers take the lowest free ports of the pipes in turn,
  /// links to the spine the highest. Throws sim::OptionError when a switch has not enough ports or pipes.
  Topology build(std::uint64_t nodes, const Link& link, const SwitchOptions& switches) const;
};

}  // namespace racksim::models
