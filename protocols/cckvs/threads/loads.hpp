// How busy each kind of resource is while measuring, at the node where it is busiest: what limits a run (ccKVS §8.4) is
// what is near 1.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "protocols/cckvs/threads/shared.hpp"

namespace racksim::cckvs {

class Loads {
 public:
  /// `of` is what the names of the metrics begin with.
  Loads(Shared& shared, std::string_view of);

 private:
  enum Resource : std::uint8_t { cache_threads, kvs_threads, port_in, port_out, nic, kCount };
  using Amounts = std::array<std::vector<double>, kCount>;

  /// What so many packets take of a port.
  double port_time(std::uint64_t packets, std::uint64_t bytes) const;
  /// Work done so far by each resource of a kind, in seconds of it.
  Amounts done() const;
  /// What the busiest one has done in the window, over the window's length.
  double busiest(Resource resource) const;

  Shared& shared_;
  Amounts before_;  // the window
};

}  // namespace racksim::cckvs
