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
//   R14 ordered_deferral
//
// R14 is for words in which reader bits carry into the id: they name an owner that nobody has made. A true owner-to-be
// got or gets the line after those that it waits for; an innocent one may wait for whoever asks it. So a writer that
// waits for answers defers what comes from nodes after it, and turns away what comes from nodes before it: along a chain
// of writers that wait for each other's answers ids fall, and no chain closes. To answer only whom one asks oneself would
// leave chains of three, as four nodes show that do "w,ww,ww,r" (explored/explored_line.hpp).
#pragma once

#include <boost/container/static_vector.hpp>
#include <cstdint>
#include <vector>

#include "models/nic/verbs.hpp"
#include "models/service/transition_table.hpp"
#include "protocols/latched_memory/latch_word.hpp"
#include "protocols/selcc/frame.hpp"
#include "protocols/selcc/messages.hpp"

namespace racksim::selcc {

using latched_memory::LatchWord;
using models::NodeId;

class LineEvents;
struct Options;
struct LineWork;
enum class Purpose : std::uint8_t;

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
  return conflict == Case::writer_against_modified   ? FrameEvent::case1
         : conflict == Case::reader_against_modified ? FrameEvent::case2
                                                     : FrameEvent::case3;
}

/// One event at one node.
struct FrameStep {
  LineEvents& node;
  sim::Key line;
  Frame* frame;                                       ///< null: the node has none for the line
  LineWork* work;                                     ///< null: nothing is under way
  const Invalidation* message;                        ///< of case1 to case3
  std::vector<models::WorkRequest>* posts = nullptr;  ///< of evict: for the evictor to post

  sim::KeyAndOperations key_and_operations() const;
  const Options& options() const;

  /// The word that the latest latch operation has found, and whom it says to invalidate: its owner or, for a writer,
  /// all sharers.
  LatchWord word() const;
  boost::container::static_vector<NodeId, LatchWord::kMostNodes> targets() const;
  bool wants_to_read() const;
  /// It is a try-lock's attempt, and has been the last.
  bool gives_up() const;

  /// The thread that acquires the line posts an atomic on its word.
  void post_atomic(models::Opcode opcode, std::uint64_t compare, std::uint64_t value, Purpose purpose,
                   std::uint64_t number = 0);
  void start_attempt();
  void acquire(models::Opcode opcode, std::uint64_t part);
  void ask();
  void wait_until(sim::Time end);

  void install();
  /// Of the writer that the line was acquired for (§5.3.2).
  void keep_priority();

  void answer(Verdict verdict);
  void settle_others(bool owners_alone);
  /// Readers of this node spin for a while, the longer the more starved the writer is (§5.3.2).
  void let_writer_in_first();
  /// Forwards the line; this atomic, behind a flush where there is one to make, tells the word.
  void give(std::uint64_t added, Purpose purpose, ObjectRange dirty, bool flushes);
  /// Takes the node's part away from the word, behind or before what a flush has to write: posts that, or leaves it to the
  /// evictor.
  void release(bool modified);
  /// The same, counted.
  void release_line(bool modified);
};

using FrameTable = models::TransitionTable<FrameState, FrameEvent, FrameStep>;
const FrameTable& frame_table();

}  // namespace racksim::selcc
