// The life of a line in the cache of one node, as a table: SELCC's state machine (§4, Figure 3b) with the rules that
// make it hold. `racksim table selcc` prints it.
//
// The printed protocol reads stale data, loses writes and deadlocks. What is added to it was found by model checking
// one line with real word arithmetic; each rule is an option (options.hpp), so that what it prevents can be seen:
//
//   R1  confirm               R5  await_answer          R9  drop_shared_deferral
//   R2  giver_waits           R6  numbered answers      R10 match_case
//   R3  flush_first           R7  dirty_travels         R11 upgrade_fallback
//   R4  case2_flush           R8  answer_deferred       R12 undo, and releases by FAA alone
//   R13 a node that finds its own trace in a word tries again and sends nothing
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/nic/verbs.hpp"
#include "models/service/transition_table.hpp"
#include "protocols/latched_memory/latch_word.hpp"
#include "protocols/selcc/frame.hpp"
#include "protocols/selcc/messages.hpp"

namespace racksim::selcc {

using latched_memory::LatchWord;
using models::NodeId;

class ComputeNode;
struct LineWork;

/// What happens to a line at a node.
enum class FrameEvent : std::uint8_t {
  read,        ///< a thread that has the local latch wants to read
  write,       ///< the same to write; it has the latch exclusively
  word,        ///< the latch operation's answer, and the line if it was read
  undone,      ///< the failed reader's bit is gone
  answered,    ///< all invalidations are, none with the line
  granted,     ///< the line came from its owner
  pause_over,  ///< time for the next attempt
  released,    ///< the share of the falling back upgrade is
  settled,     ///< the atomic that gave the line here, or away, has changed the word
  case1,       ///< a writer elsewhere asks for a Modified line
  case2,       ///< a reader elsewhere does
  case3,       ///< a writer elsewhere asks for a Shared one
  evict,       ///< the evictor takes it
  yield,       ///< local threads have had it for long enough (§5.3.1)
  count
};

/// What an invalidation is to the line's table.
constexpr FrameEvent event_of(Case conflict) {
  constexpr FrameEvent kEvents[] = {FrameEvent::case1, FrameEvent::case2, FrameEvent::case3};
  return kEvents[static_cast<std::size_t>(conflict) - 1];
}

/// One event at one node: the guards and actions of the table.
struct Step {
  ComputeNode& node;
  sim::Key line;
  Frame* frame;                                       ///< null: the node has none for the line
  LineWork* work;                                     ///< null: nothing is under way
  const Invalidation* message;                        ///< of case1 to case3
  std::vector<models::WorkRequest>* posts = nullptr;  ///< of evict: for the evictor to post

  sim::KeyAndOperations key_and_operations() const;

  // Guards.
  bool latched() const;
  bool latched_and_drops() const;
  bool defers_shared() const;
  bool matches_anyway() const;
  bool too_low_priority() const;
  bool confirms() const;
  bool giver_waits() const;
  bool forwards() const;
  bool does_not_forward() const;
  bool held_back() const;
  bool own_release_is_out() const;
  bool reader_succeeds() const;
  bool own_trace() const;
  bool undo_is_waited() const;
  bool names_the_dead() const;
  bool somebody_to_ask() const;
  bool word_was_free() const;
  bool upgrade_succeeds() const;
  bool last_upgrade() const;
  bool turned_away() const;

  // Actions.
  void hit();
  void acquire_shared();
  void acquire_modified();
  void upgrade();
  void install();
  void install_modified();
  void install_given();
  void promote();
  void undo();
  void ask();
  void pause();
  void pause_for_own_trace();
  void take_out_the_dead();
  void hold_back();
  void release_share_first();
  void forget_asks();
  void answer_deferred();
  void answer_deferred_owners();
  void defer();
  void answer_busy();
  void answer_gone();
  void urge();
  void hand_over();
  void share_out();
  void give_up_share();
  void give_up_by_memory();
  void release_share();
  void flush_and_release();
  void drop_copy();

  static const models::TableDescription& table();
  static void execute(FrameState& state, FrameEvent event, Step& step, const sim::CoverageProbe& coverage);

 private:
  struct Life;
  LatchWord word() const;
  std::vector<NodeId> targets() const;
  sim::OperationId asked_by() const;
  void start_attempt();
  void acquire(models::Opcode opcode, std::uint64_t part);
  void wait_until(sim::Time end);
  void let_writer_in_first();
  void keep_priority();
  void release_line(bool modified);
  void settle_others(bool owners_alone);
  std::vector<models::WorkRequest> release(bool modified);
};

}  // namespace racksim::selcc
