// What of FlowCC a run can exercise: the states in which messages meet a block, and the races that the paper or the
// comments of this folder name.
//
// A state is (global status, lock, state of the block in one node's cache), all at the instant at which a message is
// handled. The node is the requester's where an owner or a requester handles it, and the cache agent's own there. It is
// looked at from outside, all places at once: no part of the protocol could see it so.
#pragma once

#include <cstdint>

#include "protocols/flowcc/rules/block.hpp"
#include "sim/record/coverage.hpp"

namespace racksim::flowcc {

enum class LockState : std::uint8_t { free, read, write };
enum class LocalState : std::uint8_t { absent, filling, clean, dirty };

/// Where a message is handled.
enum class Place : std::uint8_t { owner, memory, cache_agent, requester };

/// A race, by the rule or comment that answers it. The names are in coverage.cpp, in this order.
enum class RacePoint : std::uint8_t {
  switch_drops_old_copy,
  switch_finds_own_lock,
  switch_undoes_lock,
  switch_undoes_nothing,
  switch_unlock_with_score_above_one,
  switch_repeated_unlock,
  home_drops_old_copy,
  home_finds_own_lock,
  home_undoes_lock,
  home_undoes_nothing,
  home_repeated_unlock,
  memory_old_request,
  memory_repeated_request,
  cache_old_request,
  cache_repeated_request,
  cache_copy_gone,
  cache_late_downgrade_withheld,
  read_miss_again_to_all_holders,
  read_during_own_event,
  misses_merged,
  bucket_all_busy,
  waits_for_same_parity,
  unlock_waits_for_unlock,
  unlock_waits_for_write_back,
  modified_read_written_back,
  upgrade_lost,
  eviction_lost,
  failed_ack_of_earlier_transmission,
  ack_of_past_event,
  data_of_past_event,
  unlock_ack_of_past_event,
  // Where blocks migrate:
  home_refuses_given_away,
  home_drops_from_before_return,
  home_unlock_after_move,
  home_waits_for_lock,
  switch_unlock_after_move,
  switch_add_finds_tag,
  switch_remove_finds_lock,
  switch_add_collides,
  chunk_request_old,
  chunk_request_repeated,
  chunk_refused,
  chunk_answer_repeated,
  chunk_of_another_home,
  count
};

/// What FlowCC declares when it registers.
sim::CoverageMap coverage_map();

/// The number of a state in that map.
std::size_t coverage_state(GlobalStatus status, LockState lock, LocalState local);

/// Looks at a block from all sides.
class BlockObserver {
 public:
  virtual ~BlockObserver() = default;
  /// The number of the state of a block, with the cache of `node`.
  virtual std::size_t state_of(Tag tag, NodeId node) = 0;
};

/// How the parts of FlowCC mark what they exercise. Does nothing unless the run is asked for coverage.
class CoverageMarks {
 public:
  CoverageMarks() = default;
  CoverageMarks(sim::CoverageProbe probe, BlockObserver& observer) : probe_(probe), observer_(&observer) {}

  bool on() const { return probe_.on(); }
  void race(RacePoint point) const { probe_.race(point); }
  void race_if(bool happened, RacePoint point) const {
    if (probe_.on() && happened) [[unlikely]]
      probe_.race(point);
  }
  /// A message is handled. Types that are not handled at that place are ignored.
  void handled(Place place, MessageType type, Tag tag, NodeId node) const {
    if (probe_.on()) [[unlikely]]
      note(place, type, tag, node);
  }

 private:
  void note(Place place, MessageType type, Tag tag, NodeId node) const;

  sim::CoverageProbe probe_;
  BlockObserver* observer_ = nullptr;
};

}  // namespace racksim::flowcc
