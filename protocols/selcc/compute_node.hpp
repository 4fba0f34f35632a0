// A compute node of SELCC: its cache, its application threads' way to lines, its handler of invalidations and its
// evictor (SELCC §4, §5). Memory servers have no code at all: their NICs do what verbs ask.
//
// What may happen to a line is the transition table's to say (frame_table.cpp); this class takes the completions of
// verbs and the messages of others. What application threads do under local latches is line_cache/caching_node.hpp's.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "models/service/protocol.hpp"
#include "protocols/line_cache/caching_node.hpp"
#include "protocols/line_cache/slots.hpp"
#include "protocols/selcc/frame_step.hpp"
#include "protocols/selcc/line_events.hpp"
#include "protocols/selcc/line_work.hpp"
#include "protocols/selcc/races.hpp"
#include "protocols/selcc/shared.hpp"
#include "protocols/selcc/verbs.hpp"

namespace racksim::selcc {

class ComputeNode;

struct CacheTypes {
  using Node = ComputeNode;
  using Frame = selcc::Frame;
  using Work = LineWork;
  using Shared = selcc::Shared;
  using Event = FrameEvent;
  static constexpr const Races& races = selcc::races;
};

class ComputeNode final : public line_cache::CachingNode<CacheTypes>,
                          models::CompletionHandler,
                          models::MemoryObserver,
                          LineHost {
 public:
  ComputeNode(Shared& shared, NodeId id, unsigned threads);
  ~ComputeNode() override { tasks_.cancel_all(); }  // before what they wait for goes

  // What application threads do besides (§6.1).
  /// Carries an atomic out on a word in memory, past all caches (Table 2: Atomic); returns what the word was.
  sim::Task<std::uint64_t> atomic_on_word(unsigned thread, sim::Key object, models::WorkRequest request);
  /// Reads the latch words of lines that follow each other from memory; returns whether nobody holds any of them.
  sim::Task<bool> nobody_holds(unsigned thread, sim::Key first, std::uint64_t lines, sim::OperationId operation);

  /// Whether the node has a part in the line's word, or will have had one: it holds, gives, takes or releases it.
  bool has_part_in(sim::Key line) const;

  // What its lines ask and do (line_events.hpp).
  std::uint64_t take_number() override { return next_number_++; }
  sim::Time now() const override { return calendar().now(); }
  sim::Duration rtt() const override { return CachingNode::rtt(); }
  void set_timer(LineWork& work, sim::Time end) override;
  void cancel_timer(LineWork& work) override { calendar().cancel(work.timer); }
  sim::Time held_back(sim::Key line) const override;
  void hold_back(sim::Key line, sim::Time until) override;
  sim::Key first_object_of(sim::Key line) const override { return shared_.lines.object_of(line, 0); }
  bool has_part_in(NodeId node, sim::Key line) const override { return shared_.nodes[node]->has_part_in(line); }
  bool is_cut_off(NodeId node) const override { return (cut_off_ & LatchWord::shared(node)) != 0; }
  std::uint64_t departed() const override { return departed_; }

  // What the cache asks and does (line_cache/caching_node.hpp, access.cpp).
  void raise(FrameEvent event, sim::Key line, Frame* frame, const Invalidation* message = nullptr,
             std::vector<models::WorkRequest>* posts = nullptr) override;
  sim::Counter& exclusive_misses() const { return counters().modified_misses; }
  /// Whether it may use what it has cached: not when its lease is over.
  bool serves() const;
  sim::Task<void> lease();
  void note_access_under_own_latch();
  void written(Frame& frame, std::uint16_t index, sim::Value value);
  void note_use(Frame& frame, bool found_free, bool write);
  /// Nobody joins the readers of a line whose turn here is over.
  bool may_join(const Frame& frame, const LineWork& work) const {
    return frame.latch == 0 || !local_turn_is_over(work);
  }
  void latch_freed(Frame& frame) override;
  void grant_waiters(Frame& frame) { line_cache::grant_latch(frame, works_.of(frame).waiters); }
  void end(LineWork& work) { calendar().cancel(work.timer); }
  sim::Task<void> evict_lines(std::vector<sim::Key> victims);

  // What it does about another node that is dead, in this order (recovery.hpp, survivor.cpp).
  /// Its queue pairs to that node are cut.
  void cut_off(NodeId lost);
  /// Claims what it has from it, and looks into the words of lines that it waits for.
  sim::Task<void> settle(NodeId lost);
  /// From now on takes the dead node out of each word that it meets it in.
  sim::Task<void> bury(NodeId lost);
  /// Takes dead nodes, given as reader bits, out of the words of all these lines.
  sim::Task<void> sweep(std::uint64_t lost, std::vector<Region> regions);
  /// Ends when it has no such swap under way any more: one that came late would take the node out again when it is
  /// back.
  sim::Task<void> leave_alone(NodeId lost);
  /// A node that was dead is back.
  void welcome(ComputeNode& node);

  // What others do for this one when it is dead itself.
  struct LeftBehind {
    models::Session holder;
    sim::Key line;
  };
  /// The latches that its threads hold and will never give back. To be called once each time that it is dead.
  std::vector<LeftBehind> latches_left_behind();
  /// It is a member again, and holds nothing. Both as reader bits: who is not a member, and who of them words may be
  /// rid of.
  void come_back(std::uint64_t absent, std::uint64_t departed);

  void crash();
  bool quiescent() const;
  void add_waits(std::vector<sim::Wait>& waits) const;
  void add_leaks(std::vector<models::Leak>& leaks) const;

 private:
  struct Arrived {
    Answer answer;
    LineData data;
  };

  /// Registers the buffers of answers, and starts the evictor.
  void begin();
  bool local_turn_is_over(const LineWork& work) const;

  // Events (events.cpp).
  void on_completion(const models::Completion& completion) override;
  void landed(NodeId from, std::uint64_t address, std::uint32_t bytes, const models::Content& content) override;
  void completed(const Posted& posted, const models::Completion& completion);
  void handle(std::uint32_t slot);
  void take_answer(std::uint32_t slot);
  void pause_over(std::uint64_t line);

  // Recovery (survivor.cpp).
  bool awaits_answer_of(const LineWork& work, NodeId lost) const;
  bool has_unconfirmed_from(const LineWork& work, NodeId lost) const;
  bool has_arrived(sim::Key line, const LineWork& work) const;
  sim::Task<void> claim(sim::Key line, NodeId lost);
  sim::Task<void> recheck(sim::Key line, NodeId lost);
  sim::Task<void> take_out(sim::Key line, std::uint64_t lost);
  /// How long it leaves a word alone after so many compare-and-swaps in vain.
  sim::Duration back_off(std::uint32_t attempts) const;

  // Eviction (eviction.cpp).
  sim::Task<void> evict_batch(std::size_t server, std::vector<sim::Key> victims);
  void post_batch(models::QueuePair& queue_pair, std::vector<models::WorkRequest>& batch);

  NodeVerbs verbs_;
  LineEvents lines_;
  std::map<std::uint64_t, sim::Time> held_back_;  // by line: no reads from elsewhere until then
  line_cache::Slots<Invalidation> inbox_;
  line_cache::Slots<Arrived> answers_;
  std::uint64_t next_number_ = 1;
  std::vector<std::uint32_t> ring_used_;  // slots of the evictor's copy-out rings, by memory server (§5.2.1)
  // Of nodes that are dead.
  std::uint64_t cut_off_ = 0, departed_ = 0;  // as reader bits
  std::vector<LeftBehind> left_behind_;       // by this one's crash
  bool latches_are_told_ = false;             // of the present death
  sim::Signal ring_moved_;
};

}  // namespace racksim::selcc
