// FlowCC's options: who owns blocks, the sizes of caches and switch arrays, the costs of the DSM library's code, and
// the switches that turn a safety mechanism off so that the oracles can be seen to notice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "models/service/memory_allocator.hpp"
#include "models/service/protocol.hpp"
#include "protocols/flowcc/rules/lock_options.hpp"
#include "protocols/flowcc/rules/migration_options.hpp"
#include "protocols/flowcc/rules/recovery_options.hpp"

namespace racksim::flowcc {

struct FlowCcOptions final : models::ProtocolOptions {
  enum class Ownership : std::uint8_t {
    switch_owned,  ///< shared blocks are managed by the switch, private ones by their homes (Concordia)
    home,          ///< every block is managed by its home agent (CONCORDIA-base, §7.2)
    migrating      ///< every block by its home agent until its coherence traffic is heavy, then by the switch (§5.2)
  };
  enum class Idempotence : std::uint8_t {
    safe,  ///< §5.3 with the four rules that make it hold (event_runner.hpp)
    paper  ///< §5.3 and the order of §5.1.1 as printed, which leaks locks under most faults (event_runner.hpp)
  };

  enum class AllocateFrom : std::uint8_t {
    round_robin,  ///< one home after the other
    local,        ///< the thread's own node
    named         ///< one node for all
  };

  Ownership ownership = Ownership::switch_owned;
  std::uint64_t block_bytes = 4096;
  std::uint64_t cache_bytes = std::uint64_t{1} << 30;
  std::uint64_t ways = 9;
  std::uint64_t entries_per_way = 41667;

  Idempotence idempotence = Idempotence::safe;
  bool scoreboard = true;
  bool last_unlock = true;
  bool last_executed = true;
  bool check_table = true;

  std::uint64_t request_timeout_rtts = 6;
  std::uint64_t unlock_timeout_rtts = 3;

  sim::Duration local_access = sim::Duration::from_ps(240'600);
  sim::Duration miss_setup = sim::Duration::from_ps(100'000);
  sim::Duration cache_agent_work = sim::Duration::from_ps(100'000);
  sim::Duration home_agent_work = sim::Duration::from_ps(100'000);
  sim::Duration multicast_copy_work = sim::Duration::from_ps(100'000);
  sim::Duration notice_data_work = sim::Duration::from_ps(60'000);
  sim::Duration copy_work_per_kib = {};

  MigrationOptions migration;
  ShadowOptions shadow;
  RecoveryOptions recovery;
  LockOptions locks;
  bool migrates() const { return ownership == Ownership::migrating; }
  /// Whether witnesses keep the locks of applications (lock_log.hpp): where nothing recovers nobody would ask them.
  bool logs_locks() const { return migrates() && recovery.of_nodes == RecoveryOptions::OfNodes::rebuild && locks.log; }
  /// The rules of migration that hold: all where no block migrates.
  MigrationRules migration_rules() const { return migrates() ? migration.effective() : MigrationRules{}; }
  std::uint64_t memory_bytes = models::MemoryAllocator::kEverything;
  AllocateFrom allocate_from = AllocateFrom::round_robin;
  std::uint64_t allocation_home = 0;
  std::uint64_t chunk_bytes = 32 << 20;
  sim::Duration carve_work = sim::Duration::from_ps(50'000);

  /// A timeout doubles whenever it expires, up to so many times the first.
  static constexpr std::int64_t kMostBackOff = 64;
  /// The timeout after one that has expired; `first` was that of the first transmission.
  static sim::Duration longer(sim::Duration expired, sim::Duration first) {
    return std::min(expired * 2, first * kMostBackOff);
  }

  /// Whether everything is on without which metadata and locks go wrong.
  bool keeps_metadata() const {
    return idempotence == Idempotence::safe && scoreboard && last_unlock && last_executed && check_table &&
           migration_rules().all();
  }

  void declare(sim::Parameters& p) override;
  void declare_allocation(sim::Parameters& p);
  sim::Duration longest_timeout(const models::RackOptions& rack) const override;
  bool warms_itself() const override { return true; }
  std::vector<std::string> also_tolerates() const override {
    if (!migrates()) return {};
    if (recovery.of_nodes == RecoveryOptions::OfNodes::printed) return {"switch-restart"};
    return {"crash", "switch-restart"};
  }
  bool may_lose_writes() const override { return migrates(); }
  std::vector<std::string> promises() const override {
    if (!migrates() || recovery.of_nodes != RecoveryOptions::OfNodes::rebuild)
      return {"data-value", "mutual-exclusion"};
    return {"data-value", "mutual-exclusion", "told-of-death"};
  }
  std::optional<sim::WaitingBounds> waiting(const models::RackOptions& rack) const override;
  models::CostTable costs(const models::RackOptions& rack) const override;
  models::StateSize state_size(std::uint64_t nodes) const override;
  std::unique_ptr<models::Protocol> build(models::ProtocolContext& context) const override;
};

}  // namespace racksim::flowcc
