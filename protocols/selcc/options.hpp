// The options of SELCC, the rules that make its latch word safe among them (frame_table.cpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/membership/membership_options.hpp"
#include "models/service/protocol.hpp"
#include "protocols/latched_memory/latch_word.hpp"
#include "protocols/line_cache/cache_options.hpp"

namespace racksim::selcc {

using namespace sim::literals;

/// What a reader that finds an exclusive holder does with the bit that it has set.
enum class Undo : std::uint8_t {
  overlapped,  ///< takes it away, and asks the holder meanwhile
  waited,      ///< asks once it is gone
  off          ///< leaves it
};

/// What is done about a compute node that has crashed.
enum class RecoveryMode : std::uint8_t {
  none,  ///< as in the paper: whoever needs what it held waits for ever
  fence  ///< it is cut off, and what it held is freed (recovery.hpp)
};

struct Options final : models::ProtocolOptions, line_cache::CacheOptions {
  // The rules; off is as printed in the paper, or worse.
  bool confirm = true, giver_waits = true, flush_first = true, case2_flush = true, await_answer = true,
       dirty_travels = true, answer_deferred = true, drop_shared_deferral = true, match_case = true,
       upgrade_fallback = true, ordered_deferral = true;
  Undo undo = Undo::overlapped;
  std::uint64_t upgrade_attempts = 3, try_attempts = 5;
  // Optimisations of §4.4.1 and §5.2 (Figure 15).
  bool forwarding = true, batched_eviction = true, dirty_boundaries = true;
  std::uint64_t ring_slots = 16;
  // Fairness (§5.3).
  std::optional<std::uint64_t> gamma = 256;
  std::uint64_t resend_factor = 8;
  std::uint64_t priority_unit = 20;
  bool spin_waiting = true, priority_matching = true;
  // Relaxed mode (§6.1).
  bool relaxed = false;
  std::uint64_t buffered_writes = 16;
  sim::Duration buffer_deadline = 20_us;
  sim::Duration spin_per_level = 16_us;
  RecoveryMode recovery = RecoveryMode::none;
  bool sweep = false, claim = true, recheck = true;
  models::MembershipOptions membership;

  void declare(sim::Parameters& p) override;
  /// Whether writes return before they are performed.
  bool writes_return_early() const { return relaxed && buffer_deadline > sim::Duration{}; }
  std::vector<std::string> promises() const override {
    return {writes_return_early() ? "tso" : "data-value", "mutual-exclusion", "latch-words"};
  }
  /// Whether a word can name an owner that nobody has made: with undos that are waited for each bit is in it once.
  bool owners_may_be_innocent(std::uint64_t compute_nodes) const {
    return undo != Undo::waited && latched_memory::LatchWord::readers_reach_id(static_cast<unsigned>(compute_nodes));
  }
  bool recovers() const { return recovery == RecoveryMode::fence; }
  /// What waits in the buffers of a node that crashes, and what it has not flushed.
  bool may_lose_writes() const override { return writes_return_early() || recovers(); }
  /// As many, as in SELCC's testbed (§7).
  std::uint64_t memory_servers_beside(std::uint64_t compute_nodes) const override { return compute_nodes; }
  bool warms_itself() const override { return true; }
  std::vector<std::string> also_tolerates() const override;
  /// Nothing is sent again; but who waits for a dead node may have to wait for its lease to end.
  sim::Duration longest_timeout(const models::RackOptions& rack) const override;
  std::optional<sim::WaitingBounds> waiting(const models::RackOptions& rack) const override;
  models::CostTable costs(const models::RackOptions& rack) const override;
  models::StateSize state_size(std::uint64_t nodes) const override;
  std::unique_ptr<models::Protocol> build(models::ProtocolContext& context) const override;

  /// Retries of a latch operation as a priority (§5.3.2), by the published code's levels.
  std::uint8_t priority_of(std::uint32_t retries) const;
};

}  // namespace racksim::selcc
