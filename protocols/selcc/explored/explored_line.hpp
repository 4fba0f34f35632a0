// SELCC explored: one line, its latch word, and four of 58 compute nodes. `racksim explore selcc` runs it.
//
// All that decides is what a rack runs: the line's transition table and what its rows do, and the way from words,
// answers and invalidations to its events (line_events.hpp). Here are only what lies between them, and the threads:
//
//   * An atomic is carried out when it likes, behind those that its queue pair had before: each node has one for its
//     thread, one for its handler, one for its evictor. It completes when it likes, in the same order. What is lost is
//     late.
//   * A message arrives when it likes. A node has one invalidation out to each other, so order is nothing to them.
//   * The nodes are the reader whose bit, twice in a word, makes an owner's id, and those whom such ids name. Others,
//     whom a carry may name too, have nothing and say so.
//   * A thread performs its program, each operation when it likes. A line is evicted when the evictor likes.
//   * There is no time: pauses are over when they like, and nobody starves (γ, priorities).
//
// Judged are:
//   * single writer: beside a node that may write no other may read or write;
//   * at rest the word is the sum of what the copies have added;
//   * every state leads to one at rest in which all programs are over.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "protocols/selcc/explored/explored_node.hpp"
#include "sim/metrics/metrics.hpp"

namespace racksim::selcc {

class ExploredLine final : public sim::Model {
 public:
  explicit ExploredLine(const ExploreOptions& options);

  std::string initial() override { return initial_; }
  void expand(std::string_view state, sim::Steps& steps) override;
  std::string step_in_words(std::string_view state, std::size_t step) override;
  std::string state_in_words(std::string_view state) override;

 private:
  struct Step {
    enum class Action : std::uint8_t { begin, end_use, evict, end_pause, carry_out, complete, deliver };
    Action action;
    std::size_t index = 0;       ///< of the node, or of the message
    std::size_t queue_pair = 0;  ///< of carry_out and complete
  };

  void load(std::string_view state) {
    sim::StateReader reader(state);
    archive(reader);
  }
  const std::string& saved() {
    writer_.clear();
    archive(writer_);
    return writer_.bytes();
  }
  template <class Archive>
  void archive(Archive& archive);

  void list_steps();
  void act(const Step& step);
  ExploredNode& node(NodeId id);

  std::string wrong_here() const;
  bool at_rest() const;
  std::string in_words(const Step& step);

  const ExploreOptions options_;
  sim::Metrics metrics_;
  Counters counters_{metrics_};
  sim::Calendar calendar_;
  std::vector<std::unique_ptr<ExploredNode>> nodes_;
  std::uint64_t word_ = 0;
  std::vector<ExploredMessage> messages_;  // sorted
  std::uint8_t evictions_ = 0;

  std::string initial_;
  std::vector<Step> steps_;
  sim::StateWriter writer_;
};

}  // namespace racksim::selcc
