// What of FlowCC a run can exercise: the states in which messages meet a block, and the races that the paper or the
// comments of this folder name.
//
// A state is (global status, lock, state of the block in one node's cache), all at the instant at which a message is
// handled. The node is the requester's where an owner or a requester handles it, and the cache agent's own there. It is
// looked at from outside, all places at once: no part of the protocol could see it so.
#pragma once

#include <cstdint>

#include "protocols/flowcc/rules/block.hpp"
#include "protocols/flowcc/rules/local_cache.hpp"
#include "sim/record/coverage.hpp"

namespace racksim::flowcc {

enum class LockState : std::uint8_t { free, read, write };

/// Who handles a message.
enum class Handler : std::uint8_t { owner, memory, cache_agent, requester };

/// The races, by the rule or comment that answers each.
struct Races : sim::RacePoints {
  sim::RacePoint switch_drops_old_copy =
      add("switch: a packet that a later one of its requester has overtaken (rule i)");
  sim::RacePoint switch_finds_own_lock =
      add("switch: a request sent again finds the lock taken by itself (SCOREBOARD)");
  sim::RacePoint switch_undoes_lock = add("switch: a failed check gives back the lock that its pass took (rule iv)");
  sim::RacePoint switch_undoes_nothing = add("switch: a failed check whose pass took nothing (rule iv)");
  sim::RacePoint switch_unlock_with_score_above_one =
      add("switch: an unlock returns a read lock that was taken twice (SCOREBOARD)");
  sim::RacePoint switch_repeated_unlock = add("switch: an unlock that was executed before (LAST-UNLOCK)");
  sim::RacePoint home_drops_old_copy =
      add("home agent: a packet that a later one of its requester has overtaken (rule i)");
  sim::RacePoint home_finds_own_lock = add("home agent: a request sent again finds the lock taken by itself");
  sim::RacePoint home_undoes_lock = add("home agent: a failed check gives back the lock that it took (rule iv)");
  sim::RacePoint home_undoes_nothing = add("home agent: a failed check that took nothing (rule iv)");
  sim::RacePoint home_repeated_unlock = add("home agent: an unlock that was executed before");
  sim::RacePoint memory_old_request = add("home's memory: a request older than the last (LAST-EXECUTED)");
  sim::RacePoint memory_repeated_request = add("home's memory: the last request once more (LAST-EXECUTED)");
  sim::RacePoint cache_old_request = add("cache agent: a request older than the last (LAST-EXECUTED)");
  sim::RacePoint cache_repeated_request = add("cache agent: the last request once more (LAST-EXECUTED)");
  sim::RacePoint cache_copy_gone = add("cache agent: the copy that a request asks for is gone");
  sim::RacePoint cache_late_downgrade_withheld =
      add("cache agent: a READ-MISS that found the block Shared meets a dirty copy, and leaves it");
  sim::RacePoint read_miss_again_to_all_holders =
      add("owner: a READ-MISS of a Shared block, sent again, goes to all holders");
  sim::RacePoint read_during_own_event = add("requester: a read of a copy while an event on it is under way");
  sim::RacePoint misses_merged = add("requester: a miss on a block of which a sibling thread's miss is under way");
  sim::RacePoint bucket_all_busy = add("requester: every entry of a bucket is in the hands of siblings");
  sim::RacePoint waits_for_same_parity = add("requester: a request waits for the unlock of the same parity (rule iii)");
  sim::RacePoint unlock_waits_for_unlock = add("requester: an unlock waits for the unlock before it");
  sim::RacePoint unlock_waits_for_write_back = add("requester: an unlock waits for its write-back");
  sim::RacePoint modified_read_written_back = add("requester: a reader of a Modified block writes it back");
  sim::RacePoint upgrade_lost = add("requester: a WRITE-SHARED fails, its copy invalidated in the meantime");
  sim::RacePoint eviction_lost = add("requester: an eviction fails, its block taken or changed in the meantime");
  sim::RacePoint failed_ack_of_earlier_transmission =
      add("requester: a FAILED-ACK that answers an earlier transmission (rule ii)");
  sim::RacePoint ack_of_past_event = add("requester: an ACK or FAILED-ACK of an event that is over");
  sim::RacePoint data_of_past_event = add("requester: data for an event that is over");
  sim::RacePoint unlock_ack_of_past_event = add("requester: an UNLOCK-ACK of an unlock that is over");
  // Where blocks migrate:
  sim::RacePoint home_refuses_given_away =
      add("home agent: a request for a block that the switch has, or is about to have");
  sim::RacePoint home_drops_from_before_return =
      add("home agent: a request from before its block came back from the switch");
  sim::RacePoint home_unlock_after_move = add("home agent: an unlock of an event whose block is the switch's now");
  sim::RacePoint home_waits_for_lock = add("home agent: a block that is to move takes no new holders");
  sim::RacePoint switch_unlock_after_move = add("switch: an unlock whose event holds no lock there");
  sim::RacePoint switch_add_finds_tag = add("switch: an ADD finds its tag");
  sim::RacePoint switch_remove_finds_lock = add("switch: a REMOVE finds the lock taken");
  sim::RacePoint switch_add_collides = add("switch: an ADD finds all its places taken");
  sim::RacePoint chunk_request_old = add("home agent: a request for a chunk older than the last (LAST-EXECUTED)");
  sim::RacePoint chunk_request_repeated = add("home agent: the last request for a chunk once more (LAST-EXECUTED)");
  sim::RacePoint chunk_refused = add("home agent: no room for a chunk");
  sim::RacePoint chunk_answer_repeated = add("thread: an answer to a request for a chunk that is over");
  sim::RacePoint chunk_of_another_home = add("thread: a chunk of a home that is asked because others have no room");
};
inline constexpr Races races{};

/// What FlowCC declares when it registers.
sim::CoverageMap coverage_map();

/// The number of a state in that map.
std::size_t coverage_state(GlobalStatus status, LockState lock, CacheEntry::State local);

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
  void race(sim::RacePoint point) const { probe_.race(point); }
  void race_if(bool happened, sim::RacePoint point) const {
    if (probe_.on() && happened) [[unlikely]]
      probe_.race(point);
  }
  /// A message is handled. Types that are nothing to its handler are ignored.
  void handled(Handler handler, MessageType type, Tag tag, NodeId node) const {
    if (probe_.on()) [[unlikely]]
      note(handler, type, tag, node);
  }

 private:
  void note(Handler handler, MessageType type, Tag tag, NodeId node) const;

  sim::CoverageProbe probe_;
  BlockObserver* observer_ = nullptr;
};

}  // namespace racksim::flowcc
