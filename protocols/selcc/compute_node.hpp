// A compute node of SELCC: its cache, its application threads' way to lines, its handler of invalidations and its
// evictor (SELCC §4, §5). Memory servers have no code at all: their NICs do what verbs ask.
//
// What may happen to a line is the transition table's to say (transitions.cpp); this class carries it out: it posts
// verbs, takes their completions, and grants local latches. Threads are on the first cores, then the handler, then the
// evictor.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "models/rack/rack.hpp"
#include "models/service/memory_service.hpp"
#include "models/service/protocol.hpp"
#include "protocols/latched_memory/memory_servers.hpp"
#include "protocols/line_cache/held_latches.hpp"
#include "protocols/line_cache/line_works.hpp"
#include "protocols/line_cache/slots.hpp"
#include "protocols/selcc/cache.hpp"
#include "protocols/selcc/counters.hpp"
#include "protocols/selcc/coverage.hpp"
#include "protocols/selcc/line_work.hpp"
#include "protocols/selcc/options.hpp"
#include "protocols/selcc/transitions.hpp"
#include "sim/kernel/waiting.hpp"
#include "sim/record/coverage.hpp"

namespace racksim::selcc {

class ComputeNode;
class Recovery;

/// Lines that follow each other.
struct Region {
  sim::Key first;
  std::uint64_t lines = 0;
};

/// What all nodes have in common.
struct Shared {
  models::Rack& rack;
  const Options& options;
  models::MemoryService& memory;
  latched_memory::MemoryServers& lines;
  Counters& counters;
  sim::CoverageProbe coverage{};
  sim::Source source{};               ///< of permissions
  std::vector<ComputeNode*> nodes{};  ///< the compute nodes, in their order
  Recovery* recovery = nullptr;       ///< null: a crash stops whoever needs what the node held
};

class ComputeNode final : models::CompletionHandler, models::MemoryObserver {
 public:
  ComputeNode(Shared& shared, NodeId id, unsigned threads);
  ~ComputeNode() override;
  ComputeNode(const ComputeNode&) = delete;
  ComputeNode& operator=(const ComputeNode&) = delete;

  /// Joins the handlers of two nodes, or joins them anew.
  static void connect(ComputeNode& a, ComputeNode& b);

  NodeId id() const { return id_; }

  // What application threads do (§6.1). A thread that holds the latch of a line accesses it as often as it likes.
  sim::Task<sim::Value> read(unsigned thread, sim::Key object, sim::OperationId operation);
  sim::Task<void> write(unsigned thread, sim::Key object, sim::Value value, sim::OperationId operation);
  /// How a thread holds the latch of a line over several accesses, if it does.
  std::optional<models::LockMode> latch_of(unsigned thread, sim::Key line) const { return held_.mode(thread, line); }
  /// Gets the latch of a line, and with it the permission: SELCC_SLock and SELCC_XLock.
  sim::Task<void> lock(unsigned thread, sim::Key line, bool exclusive, sim::OperationId operation);
  /// Carries an atomic out on a word in memory, past all caches (Table 2: Atomic); returns what the word was.
  sim::Task<std::uint64_t> atomic_on_word(unsigned thread, sim::Key object, models::WorkRequest request);
  /// Reads the latch words of lines that follow each other from memory; returns whether nobody holds any of them.
  sim::Task<bool> nobody_holds(unsigned thread, sim::Key first, std::uint64_t lines, sim::OperationId operation);
  /// Gives the local latch back, and only that (lazy release).
  sim::Task<void> unlock(unsigned thread, sim::Key line);

  const Cache& cache() const { return cache_; }
  Cache& cache() { return cache_; }
  /// Whether the node has a part in the line's word, or will have had one: it holds, gives, takes or releases it.
  bool has_part_in(sim::Key line) const;

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
  void welcome(NodeId node);

  // What others do for this one when it is dead itself.
  struct LeftBehind {
    models::Session holder;
    sim::Key line;
  };
  /// The latches that its threads hold and will never give back. To be called once each time that it is dead.
  std::vector<LeftBehind> latches_left_behind();
  /// Tells the record that it may use none of its copies: it has crashed, or has no lease.
  void record_no_permission() const;
  /// It is a member again, and holds nothing. Both as reader bits: who is not a member, and who of them words may be
  /// rid of.
  void come_back(std::uint64_t absent, std::uint64_t departed);

  void crash();
  bool quiescent() const;
  void add_waits(std::vector<sim::Wait>& waits) const;
  void add_leaks(std::vector<models::Leak>& leaks) const;

 private:
  friend struct Step;

  enum class Purpose : std::uint8_t {
    latch_word,   // the atomic of an upgrade
    latch_line,   // the READ of another latch operation, behind its atomic
    undo,         // of a failed reader's bit, which nobody waits for
    undo_waited,  // the same, which its thread waits for
    fall_back,    // the release of a share that is to be upgraded
    release,      // of a share or of a line evicted
    hand_over,    // of a Modified line to another writer
    share,        // of a Modified line with a reader
    forward,      // the line itself
    take_out,     // of dead nodes from a word
    call,         // somebody waits for just this
    evict         // the last verb of an eviction, whose ring slots are free then
  };
  /// Verbs that one task waits for.
  struct Call {
    explicit Call(sim::Calendar& calendar) : done(calendar) {}
    sim::Signal done;
    std::uint32_t open = 0;
    std::uint64_t found = 0;    ///< the atomic's result, or all that READs have found, or-ed
    models::Content content{};  ///< of the last READ
  };
  /// What a completion is about.
  struct Posted {
    Purpose purpose{};
    sim::Key line = 0;
    NodeId peer = 0;           // of hand_over and share
    std::uint64_t number = 0;  // of the request that is granted
    std::uint32_t slots = 0;   // of the copy-out ring
    sim::OperationId operation = 0;
    Call* call = nullptr;
  };
  struct Arrived {
    Answer answer;
    LineData data;
  };
  using Endpoint = latched_memory::Endpoint;
  using HeldLatches = line_cache::HeldLatches<Frame>;

  /// Registers the buffers of answers, and starts the evictor.
  void begin();
  models::Server& server() const { return shared_.rack.server(id_); }
  sim::Calendar& calendar() const { return shared_.rack.calendar(); }
  const Options& options() const { return shared_.options; }
  Counters& counters() const { return shared_.counters; }

  // The local latch (access.cpp).
  /// The line's frame, with the latch and the permission to read or write.
  sim::Task<Frame*> latch(unsigned thread, sim::Key line, bool write, sim::OperationId operation);
  bool may_latch(Frame& frame, bool exclusive);
  void note_access_under_own_latch();
  void note_use(Frame& frame, bool found_free, bool write);
  void unlatch(Frame& frame, bool exclusive);
  void latch_freed(Frame& frame);
  void grant_waiters(Frame& frame);
  /// Whether it may use what it has cached: not when its lease is over.
  bool serves() const;
  /// Ends when it may.
  sim::Task<void> lease();
  bool local_turn_is_over(const LineWork& work) const;
  models::Core& core_of(unsigned thread) const { return *threads_[thread].core; }

  /// Forgets what is over about a line, and frees its frame if it has nothing.
  void tidy(Frame& frame);

  // Events (events.cpp).
  void raise(FrameEvent event, sim::Key line, Frame* frame, const Invalidation* message = nullptr,
             std::vector<models::WorkRequest>* posts = nullptr);
  void on_completion(const models::Completion& completion) override;
  void landed(NodeId from, std::uint64_t address, std::uint32_t bytes, const models::Content& content) override;
  void completed(const Posted& posted, const models::Completion& completion);
  void take_word(LineWork& work);
  void handle(std::uint32_t slot);
  void take_answer(std::uint32_t slot);
  /// The line that was asked for is in `work.fetched`.
  void take_given(LineWork& work, Ask& ask, ObjectRange dirty);
  /// One more invalidation is answered without the line.
  void answered_without(LineWork& work, Ask& ask);
  void confirmed(sim::Key line, std::uint64_t number);
  void given_part_done(sim::Key line);
  void pause_over(std::uint64_t line);
  void serve_deferred(Frame& frame);

  // Recovery (survivor.cpp).
  bool is_cut_off(NodeId node) const { return (cut_off_ & LatchWord::shared(node)) != 0; }
  bool awaits_answer_of(const LineWork& work, NodeId lost) const;
  bool has_unconfirmed_from(const LineWork& work, NodeId lost) const;
  bool has_arrived(sim::Key line, const LineWork& work) const;
  sim::Task<void> claim(sim::Key line, NodeId lost);
  sim::Task<void> recheck(sim::Key line, NodeId lost);
  sim::Task<void> take_out(sim::Key line, std::uint64_t lost);
  /// How long it leaves a word alone after so many compare-and-swaps in vain.
  sim::Duration back_off(std::uint32_t attempts) const;
  void try_again_later(LineWork& work);

  // Verbs (verbs.cpp).
  void post(models::QueuePair& queue_pair, std::span<const models::WorkRequest> requests);
  std::uint64_t note(Posted posted);
  models::WorkRequest atomic(models::Opcode opcode, sim::Key line, std::uint64_t compare, std::uint64_t value,
                             Posted posted);
  /// The latch operation of an acquisition: an atomic that adds or swaps in this part, and the line.
  void latch_and_read(models::Opcode opcode, std::uint64_t part, const LineWork& work);
  /// The word that one which has completed has found.
  std::uint64_t word_found(const models::Completion& latched) const;
  /// The line and its word.
  models::WorkRequest read_line(sim::Key line, sim::OperationId operation) const;
  models::WorkRequest read_word(sim::Key line) const;
  models::WorkRequest swap_word(sim::Key line, std::uint64_t compare, std::uint64_t swap) const;
  /// Posts a request and waits for its end. Returns the word that an atomic has found, or the first that a READ has.
  sim::Task<std::uint64_t> call(models::QueuePair& queue_pair, sim::Key line, models::WorkRequest request,
                                models::Content* content = nullptr);
  /// What is dirty of a frame, to its place in memory.
  models::WorkRequest flush(const Frame& frame, sim::OperationId operation);
  models::WorkRequest write_back(const Frame& frame, ObjectRange range, sim::OperationId operation);
  void count(const models::WorkRequest& request);
  models::ReliableConnection& thread_queue_pair(unsigned thread, sim::Key line) const;
  models::ReliableConnection& handler_queue_pair(sim::Key line) const;
  void send(NodeId to, const Invalidation& message);
  void answer(const Invalidation& message, Verdict verdict);
  void confirm(NodeId to, sim::Key line, std::uint64_t number, sim::OperationId operation);
  void forward(const Invalidation& message, const Frame& frame, ObjectRange dirty);
  models::WorkRequest flag(NodeId to, const Answer& answer, sim::OperationId operation) const;
  void set_timer(LineWork& work, sim::Key line, sim::Time end);
  void atomic_ended(sim::Key line);

  // Eviction (eviction.cpp).
  void wake_evictor();
  sim::Task<void> evict();
  void post_batch(models::QueuePair& queue_pair, std::vector<models::WorkRequest>& batch);
  sim::Task<void> evict_batch(std::size_t server, std::vector<sim::Key> victims);
  static bool may_evict(const Frame& frame);

  Shared& shared_;
  NodeId id_;
  Cache cache_;
  std::vector<Endpoint> threads_;
  Endpoint handler_, evictor_;
  std::vector<models::ReliableConnection*> peers_;  // by compute node, of the handler; null for itself
  std::uint32_t answer_key_ = 0;
  line_cache::LineWorks<Frame, LineWork> works_;
  HeldLatches held_;  // by applications, not for one access alone
  line_cache::LineMap<std::uint32_t> atomics_under_way_;
  std::map<std::uint64_t, sim::Time> held_back_;  // by line: no reads from elsewhere until then
  line_cache::Slots<Posted> posted_;
  line_cache::Slots<Invalidation> inbox_;
  line_cache::Slots<Arrived> answers_;
  std::uint64_t next_number_ = 1;
  std::vector<std::uint32_t> ring_used_;  // slots of the evictor's copy-out rings, by memory server (§5.2.1)
  // Of nodes that are dead.
  std::uint64_t cut_off_ = 0, departed_ = 0;  // as reader bits
  std::uint32_t taking_out_ = 0;              // swaps under way
  std::vector<std::uint32_t> giving_to_;      // atomics under way that give a line, by whom it goes to
  std::vector<LeftBehind> left_behind_;       // by this one's crash
  bool latches_are_told_ = false;             // of the present death
  sim::Signal frame_freed_, ring_moved_, evictor_wanted_;
  sim::Scope tasks_;
};

}  // namespace racksim::selcc
