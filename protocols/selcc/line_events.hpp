// The life of lines at one node, without NIC, cores and clock: how words, answers and invalidations become events of
// a line's transition table, and what its rows ask of their node. A compute node of a rack runs it, and so does the
// exploration (explored/explored_line.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "protocols/line_cache/line_works.hpp"
#include "protocols/selcc/counters.hpp"
#include "protocols/selcc/frame_step.hpp"
#include "protocols/selcc/line_work.hpp"
#include "protocols/selcc/options.hpp"
#include "protocols/selcc/posted.hpp"
#include "sim/record/coverage.hpp"

namespace racksim::selcc {

/// The verbs that lines need.
class LineVerbs {
 public:
  virtual ~LineVerbs() = default;

  /// An atomic on the word of a line.
  virtual models::WorkRequest atomic(models::Opcode opcode, std::uint64_t compare, std::uint64_t value,
                                     const Posted& posted) = 0;
  /// What is dirty of a frame, to its place in memory.
  virtual models::WorkRequest flush(const Frame& frame, sim::OperationId operation) = 0;
  /// By the queue pairs to memory of the thread that acquires the line, and of the handler.
  virtual void post_by_thread(const LineWork& work, const models::WorkRequest& request) = 0;
  virtual void post_by_handler(sim::Key line, std::span<const models::WorkRequest> requests) = 0;
  /// The latch operation of an acquisition: an atomic that adds or swaps in this part, and the line.
  virtual void latch_and_read(models::Opcode opcode, std::uint64_t part, const LineWork& work) = 0;
  /// Whether an atomic is under way on the line's word.
  virtual bool has_atomic_of(sim::Key line) const = 0;

  // To other nodes.
  virtual void send(NodeId to, const Invalidation& message) = 0;
  virtual void answer(const Invalidation& message, Verdict verdict) = 0;
  virtual void confirm(const Posted& given) = 0;
  virtual void forward(const Invalidation& message, const Frame& frame, ObjectRange dirty) = 0;
};

/// What else lines need of their node.
class LineHost {
 public:
  virtual ~LineHost() = default;

  /// Executes a row of the line's table.
  virtual void raise(FrameEvent event, sim::Key line, Frame* frame, const Invalidation* message = nullptr,
                     std::vector<models::WorkRequest>* posts = nullptr) = 0;
  /// A line came whose local latch nobody holds: threads and others may have it.
  virtual void latch_freed(Frame& frame) = 0;
  /// The number of its next request.
  virtual std::uint64_t take_number() = 0;

  virtual sim::Time now() const = 0;
  virtual sim::Duration rtt() const = 0;
  virtual void set_timer(LineWork& work, sim::Time end) = 0;
  virtual void cancel_timer(LineWork& work) = 0;
  /// Until when its threads hold back from reading a line.
  virtual sim::Time held_back(sim::Key line) const = 0;
  virtual void hold_back(sim::Key line, sim::Time until) = 0;

  virtual sim::Key first_object_of(sim::Key line) const = 0;
  /// Whether a node has a part in the line's word, or will have had one, for the record.
  virtual bool has_part_in(NodeId node, sim::Key line) const = 0;
  virtual bool is_cut_off(NodeId node) const = 0;
  /// Whom words may be rid of, as reader bits.
  virtual std::uint64_t departed() const = 0;
};

class LineEvents {
 public:
  using Works = line_cache::LineWorks<Frame, LineWork>;
  struct Parts {
    const Options& options;
    Counters& counters;
    sim::CoverageProbe coverage;
    NodeId id = 0;
    std::uint64_t compute_nodes = 0;
    Cache& cache;
    Works& works;
    LineVerbs& verbs;
    LineHost& host;
  };
  explicit LineEvents(const Parts& parts) : parts_(parts) {}

  // What the table of a line asks and does.
  NodeId id() const { return parts_.id; }
  std::uint64_t compute_nodes() const { return parts_.compute_nodes; }
  const Options& options() const { return parts_.options; }
  Counters& counters() const { return parts_.counters; }
  const sim::CoverageProbe& coverage() const { return parts_.coverage; }
  Cache& cache() const { return parts_.cache; }
  Works& works() const { return parts_.works; }
  LineVerbs& verbs() const { return parts_.verbs; }
  LineHost& host() const { return parts_.host; }

  /// The latch operation's answer.
  void take_word(LineWork& work, std::uint64_t word);
  /// Another node's handler has an invalidation for this one.
  void handle(const Invalidation& message);
  /// The answer to an invalidation, and the line if that is what it is.
  void take_answer(const Answer& answer, LineData&& data);
  /// One that nobody waits for any more (R6).
  void ignore_answer() const { ++counters().unasked.value; }
  /// The line that was asked for is in `work.fetched`.
  void take_given(LineWork& work, Ask& ask, ObjectRange dirty);
  /// One more invalidation is answered without the line.
  void answered_without(LineWork& work, Ask& ask);
  void confirmed(sim::Key line, std::uint64_t number);
  /// An atomic that gives a line away has changed its word, or the line has been sent.
  void given_part_done(sim::Key line);
  /// What is deferred has its turn, as long as the local latch is free.
  void serve_deferred(Frame& frame);

 private:
  Parts parts_;
};

}  // namespace racksim::selcc
