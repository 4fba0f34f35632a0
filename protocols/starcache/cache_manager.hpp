// The controller's hands in StarCache (§3.8): what inserting and removing keys takes there beyond
// switch_cache/cache_manager.hpp. A fetched value becomes the cache packet as it passes the switch (§3.9), by the clone
// table; a row has a request queue; and the controller receives the servers' reports.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "protocols/starcache/counters.hpp"
#include "protocols/starcache/coverage.hpp"
#include "protocols/starcache/options.hpp"
#include "protocols/starcache/replica_switch.hpp"
#include "protocols/starcache/star_program.hpp"
#include "protocols/switch_cache/cache_manager.hpp"

namespace racksim::starcache {

using switch_cache::RowAt;

class CacheManager final : public switch_cache::CacheManager {
 public:
  /// Installs clone table and groups.
  CacheManager(store::Shared& shared, const switch_cache::CacheLocation& location, const StarCacheOptions& options,
               Counters& counters, const StarProgram& program);

  /// Inserts keys before the run without simulating time, into each pipe as many of its servers' as the cache is to
  /// have at first; their values are fetched as it begins.
  void preload(std::span<const sim::Key> hottest);

  /// Calls `visit(const store::Message&)` for each cache packet that the switch would let serve a read request that
  /// came now: its key is valid, and it is of that version.
  template <class Visit>
  void for_each_copy(Visit&& visit) const {
    shared().rack.packets().for_each_live([&](const p4::Packet& packet) {
      if (const auto message = copy_in(packet)) visit(*message);
    });
  }

  /// Called with each report that a server sends: the server and the report's number.
  void on_report(std::function<void(unsigned server, std::uint32_t number)> handler) { report_ = std::move(handler); }

 private:
  void configure_switch() override;
  sim::Task<void> prepare_row(RowAt row) override;
  sim::Task<void> clear_row(sim::Key key, RowAt row) override;
  void row_inserted(store::KeyHash hash, RowAt row, std::uint64_t state) override;
  void row_removed(store::KeyHash hash, RowAt row) override;
  void other(const store::Message& message, store::Address from) override;
  /// Sends a request that waits for an evicted key to the key's server, in the name of its client.
  sim::Task<void> send_on(sim::Key key, unsigned pipe, std::uint64_t request_index);
  std::optional<store::Message> copy_in(const p4::Packet& packet) const;
  /// Those of whose value all packets circulate.
  std::set<RowAt> served(std::set<RowAt> valid) const override;
  void begin_fetches();
  sim::Task<void> fetch_in_background(sim::Key key);

  const StarCacheOptions& options_;
  StarProgram program_;
  std::vector<std::unique_ptr<ReplicaSwitch>> replicas_;  // switches of other racks with the same entries
  std::function<void(unsigned, std::uint32_t)> report_;
};

}  // namespace racksim::starcache
