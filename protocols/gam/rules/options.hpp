// The options of GAM, its safety mechanisms among them.
#pragma once

#include <cstdint>

#include "models/host/nvram.hpp"
#include "models/membership/membership_options.hpp"
#include "models/service/protocol.hpp"

namespace racksim::gam {

using namespace sim::literals;

enum class Consistency : std::uint8_t {
  pso,  ///< writes return at once, and those to different lines pass each other
  tso,  ///< a session's next write is sent when its last is performed
  sc    ///< every write waits: the paper's "GAM-TSO", with a fence after each write
};

/// How an evicted dirty line gets home.
enum class WriteBack : std::uint8_t {
  attached,  ///< with the request, into a buffer from which it is taken when the request is handled (GAM §2.6)
  one_sided  ///< by a WRITE into memory, and a request behind it (the public implementation)
};

enum class Notification : std::uint8_t {
  polling,  ///< the worker polls its completion queue all the time (the public implementation)
  events    ///< it sleeps until an event wakes it up (GAM §3.1)
};

struct Options final : models::ProtocolOptions {
  enum class DyingReads : std::uint8_t { wait, paper };
  enum class UpgradeCheck : std::uint8_t { listed, state };
  enum class FillInvalidate : std::uint8_t { by_id, queue };
  enum class InvalidateOrder : std::uint8_t { invalidate_first, ack_first };

  std::uint64_t line_bytes = 512;
  std::uint64_t cache_bytes = std::uint64_t{77} << 20;
  double cache_share = 0;  ///< of what a node's threads use; 0: cache_bytes
  std::uint64_t lru_lists = 10;
  std::uint64_t memory_bytes = std::uint64_t{512} << 20;
  sim::Duration statistics_period = 100_ms;
  Consistency consistency = Consistency::pso;
  std::uint64_t outstanding_writes = 64;
  // The channels.
  WriteBack write_back = WriteBack::attached;
  std::uint64_t write_back_buffers = 64;
  std::uint64_t send_depth = 1024, signal_every = 512, receives = 16'351, merged_bytes = 1024;
  Notification notification = Notification::polling;
  sim::Duration wake_up = 2_us;
  // Safety mechanisms, each the rule of its number in the model-checked set.
  DyingReads dying_reads = DyingReads::wait;
  UpgradeCheck upgrade_check = UpgradeCheck::listed;
  FillInvalidate fill_invalidate = FillInvalidate::by_id;
  InvalidateOrder invalidate_order = InvalidateOrder::invalidate_first;
  bool back_off = true, blocking = true, two_messages = true;
  // Logging and recovery (§5).
  bool logging = false;
  bool dlog = true, olog = true, dlog_first = true;
  models::NvramOptions nvram;
  models::MembershipOptions membership;
  // Costs.
  sim::Duration hand_over = 50_ns, hit = 348_ns, message = 1550_ns, eviction = 100_ns;

  void declare(sim::Parameters& p) override;
  std::vector<std::string> promises() const override;
  bool warms_itself() const override { return true; }
  std::vector<std::string> also_tolerates() const override;
  sim::Duration longest_timeout(const models::RackOptions& rack) const override;
  bool needs_all_back() const override { return true; }
  bool may_lose_writes() const override { return !logging || consistency != Consistency::sc; }
  std::optional<sim::WaitingBounds> waiting(const models::RackOptions& rack) const override;
  models::CostTable costs(const models::RackOptions& rack) const override;
  models::StateSize state_size(std::uint64_t nodes) const override;
  std::unique_ptr<models::Protocol> build(models::ProtocolContext& context) const override;

  /// Lines beyond which a cache evicts.
  std::uint32_t threshold() const { return static_cast<std::uint32_t>(cache_bytes / line_bytes); }
};

}  // namespace racksim::gam
