// A switch of another rack than the servers' that runs the program too and has the same entries, as where racks are
// replicas of each other (StarCache §3.9). It has cache logic for the servers of its own rack, of which none holds
// these items: requests pass it, and "the item is returned by" the servers' switch.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "models/rack/rack.hpp"
#include "protocols/starcache/star_program.hpp"
#include "protocols/store/network.hpp"
#include "protocols/switch_cache/cache_location.hpp"

namespace racksim::starcache {

class ReplicaSwitch final : models::BootObserver {
 public:
  /// Installs the program, with clone tables for all clients.
  ReplicaSwitch(store::Shared& shared, unsigned network_switch, const StarProgram& program);
  ReplicaSwitch(const ReplicaSwitch&) = delete;
  ReplicaSwitch& operator=(const ReplicaSwitch&) = delete;

  /// Has the switch's control CPU make or remove an entry, which takes it time.
  void insert(store::KeyHash hash, switch_cache::RowAt row, std::uint64_t state);
  void remove(store::KeyHash hash, switch_cache::RowAt row);

  unsigned network_switch() const { return switch_; }

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;  // high and low half of the hash
  void switch_booted() override;
  void configure();

  store::Shared& shared_;
  unsigned switch_;
  StarProgram program_;
  std::map<Key, std::pair<switch_cache::RowAt, std::uint64_t>> rows_;  // with the STATE that each began with
};

/// Whether any server, of whatever kind, hangs on a switch: the spine has none.
bool has_servers(const models::Rack& rack, unsigned network_switch);

}  // namespace racksim::starcache
