// The verbs that a compute node posts: latch operations, flushes, invalidations and their answers (SELCC §4.3, §5.1);
// and what is under way of them. Their completions are events of the node (events.cpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/nic/verbs.hpp"
#include "protocols/latched_memory/latch_word.hpp"
#include "protocols/line_cache/connections.hpp"
#include "protocols/line_cache/line_map.hpp"
#include "protocols/line_cache/slots.hpp"
#include "protocols/selcc/frame.hpp"
#include "protocols/selcc/line_events.hpp"
#include "protocols/selcc/line_work.hpp"
#include "protocols/selcc/messages.hpp"
#include "protocols/selcc/posted.hpp"
#include "protocols/selcc/shared.hpp"
#include "sim/kernel/waiting.hpp"

namespace racksim::selcc {

/// Verbs that one task waits for.
struct Call {
  explicit Call(sim::Calendar& calendar) : done(calendar) {}
  void completed(const models::Completion& completion);
  sim::Signal done;
  std::uint32_t open = 0;
  std::uint64_t found = 0;    ///< the atomic's result, or all that READs have found, or-ed
  models::Content content{};  ///< of the last READ
};

class NodeVerbs final : public LineVerbs {
 public:
  /// Opens queue pairs to all memory servers, whose completions go to `completions`.
  NodeVerbs(Shared& shared, line_cache::Connections& connections, models::CompletionHandler& completions);
  NodeVerbs(const NodeVerbs&) = delete;
  NodeVerbs& operator=(const NodeVerbs&) = delete;

  void post(models::QueuePair& queue_pair, std::span<const models::WorkRequest> requests);
  void post(models::QueuePair& queue_pair, const models::WorkRequest& request) {
    post(queue_pair, std::span(&request, 1));
  }

  void post_by_thread(const LineWork& work, const models::WorkRequest& request) override {
    post(connections_.of_thread(work.thread, work.frame->line), request);
  }
  void post_by_handler(sim::Key line, std::span<const models::WorkRequest> requests) override {
    post(connections_.of_handler(line), requests);
  }

  models::WorkRequest atomic(models::Opcode opcode, std::uint64_t compare, std::uint64_t value,
                             const Posted& posted) override;
  bool has_atomic_of(sim::Key line) const override { return atomics_.contains(line); }
  /// How many are that give a line to this node, and that take dead nodes out of a word.
  std::uint32_t giving_to(NodeId node) const { return giving_to_[node]; }
  std::uint32_t taking_out() const { return taking_out_; }
  void latch_and_read(models::Opcode opcode, std::uint64_t part, const LineWork& work) override;
  /// The word that one which has completed has found.
  std::uint64_t word_found(const models::Completion& latched) const;

  /// The line and its word.
  models::WorkRequest read_line(sim::Key line, sim::OperationId operation) const;
  models::WorkRequest read_word(sim::Key line) const;
  models::WorkRequest flush(const Frame& frame, sim::OperationId operation) override;
  models::WorkRequest write_back(const Frame& frame, ObjectRange range, sim::OperationId operation);

  /// Posts a request and waits for its end. Returns the word that an atomic has found, or the first that a READ has.
  sim::Task<std::uint64_t> call(models::QueuePair& queue_pair, sim::Key line, models::WorkRequest request,
                                models::Content* content = nullptr);
  /// Reads the latch words of lines that follow each other from memory; returns whether nobody holds any of them.
  sim::Task<bool> nobody_holds(unsigned thread, sim::Key first, std::uint64_t lines, sim::OperationId operation);

  // To other nodes.
  void send(NodeId to, const Invalidation& message) override;
  void answer(const Invalidation& message, Verdict verdict) override;
  void confirm(const Posted& given) override;
  void forward(const Invalidation& message, const Frame& frame, ObjectRange dirty) override;

  /// What a completion is about, which has not been taken yet.
  Posted& operator[](const models::Completion& completion) { return posted_[slot_of(completion.wr_id)]; }
  /// It has completed.
  Posted take(const models::Completion& completion);
  /// An eviction takes so many slots of the copy-out ring, which its last request gives back.
  void note_slots(const models::WorkRequest& request, std::uint32_t slots) {
    posted_[slot_of(request.wr_id)].slots = slots;
  }

  /// Lines and how many atomics are under way on their words.
  const line_cache::LineMap<std::uint32_t>& atomics() const { return atomics_; }
  void crash();

 private:
  // Numbers of work requests begin at 1: what nobody waits for has 0.
  static std::uint32_t slot_of(std::uint64_t wr_id) { return static_cast<std::uint32_t>(wr_id - 1); }
  std::uint64_t note(const Posted& posted) { return std::uint64_t{posted_.put(posted)} + 1; }
  models::WorkRequest flag(NodeId to, const Answer& answer, sim::OperationId operation) const;

  Shared& shared_;
  line_cache::Connections& connections_;
  line_cache::Slots<Posted> posted_;
  line_cache::LineMap<std::uint32_t> atomics_;  // under way on the line's word
  std::vector<std::uint32_t> giving_to_;
  std::uint32_t taking_out_ = 0;
};

}  // namespace racksim::selcc
