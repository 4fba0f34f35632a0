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
  void start_measuring();
  void stop_measuring();

 private:
  enum Resource : std::uint8_t { cache_threads, kvs_threads, port_in, port_out, nic, kCount };
  using Amounts = std::array<std::vector<double>, kCount>;

  /// What so many packets take of a port.
  double port_time(std::uint64_t packets, std::uint64_t bytes) const;
  /// Work done so far by each resource of a kind, in seconds of it.
  Amounts done() const;

  Shared& shared_;
  std::array<sim::Gauge*, kCount> gauges_{};
  Amounts before_;
  sim::Time since_;
};

}  // namespace racksim::cckvs
