// One event of a line in the cache of a remote node, and the table of what follows: GAM's cache with the rules that make
// it safe. `racksim table gam` prints it.
#pragma once

#include <cstdint>

#include "models/service/transition_table.hpp"
#include "protocols/gam/cache/copies.hpp"

namespace racksim::gam {

enum class CacheEvent : std::uint8_t {
  read,
  write,  ///< or an atomic operation
  read_lock,
  write_lock,
  evict,
  invalidate,  ///< INVALIDATE, INVALIDATE_FORWARD
  drop,        ///< of the copy that was acknowledged to be gone (`invalidate_order: "ack-first"` alone)
  share_out,   ///< FETCH_AND_SHARED, READ_FORWARD
  hand_over,   ///< FETCH_AND_INVALIDATE, WRITE_FORWARD
  data,        ///< of a READ
  grant,       ///< by the home, with data or without
  owner_data,  ///< by the former owner
  grant_ack,   ///< by the home, of that
  denied,
  evict_ack,  ///< of a WRITE_BACK
  // With failures and recovery (recovery.hpp):
  home_lost,  ///< the line's home is taken for dead
  restore,    ///< by the log this node owns it
  home_back,
  count
};

struct CacheStep {
  Copies& copies;
  sim::Key line;
  Frame* frame;                      ///< null: the line is not there
  Request* request = nullptr;        ///< of accesses and locks
  const Message* message = nullptr;  ///< of other nodes' control messages
  LineData* data = nullptr;          ///< that have come; null without
  std::uint32_t counter = 0;         ///< of the ownership that has
  bool drops_later = false;          ///< the copy, which was acknowledged to be gone

  const Options& options() const { return copies.shared.options; }
  Counters& counters() const { return copies.shared.counters; }
  NodeId home() const { return copies.shared.home_of(line); }
  void race(sim::RacePoint point) const { copies.shared.coverage.race(point); }
  sim::OperationId operation() const;
  sim::KeyAndOperations key_and_operations() const;

  void ask(sim::Counter& requests, MessageKind kind);
  void send_request(MessageKind kind);
  void send_line(NodeId to, const Immediate& immediate, std::optional<std::uint32_t> counter = {}) const;
  void write_back();
  void take_grant();
  void forget_answers() const;
};

using CacheTable = models::TransitionTable<CacheState, CacheEvent, CacheStep>;
const CacheTable& cache_table();
inline std::string_view name_of(CacheState state) {
  return cache_table().description().states[static_cast<std::size_t>(state)];
}

}  // namespace racksim::gam
