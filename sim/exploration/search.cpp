// The search. See search.hpp.
#include "sim/exploration/search.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "sim/exploration/state_store.hpp"

namespace racksim::sim {
namespace {

class Search {
 public:
  Search(Model& model, const ExplorationLimits& limits, const std::function<bool()>& stop)
      : model_(model), limits_(limits), stop_(stop) {}

  Exploration run() {
    note(model_.initial(), 0, 0);
    std::uint32_t level_end = 1;
    for (std::uint32_t state = 0; state < store_.size(); ++state) {
      if (state == level_end) {
        if (result_.violation) break;  // none is shorter
        ++result_.depth;
        level_end = static_cast<std::uint32_t>(store_.size());
      }
      expand(state);
      if (violated_here_ || is_cut_short(state)) break;
    }
    result_.states = store_.size();
    result_.transitions = targets_.size();
    result_.bytes = bytes();
    if (!result_.violation && result_.cut_short.empty()) find_doomed();
    return std::move(result_);
  }

 private:
  struct Origin {
    std::uint32_t state;
    std::uint16_t step;
  };

  void note(std::string_view encoding, std::uint32_t from, std::size_t step) {
    const auto [number, is_new] = store_.add(encoding);
    if (is_new) origins_.push_back({from, static_cast<std::uint16_t>(step)});
    last_ = number;
  }

  void expand(std::uint32_t state) {
    steps_.clear();
    model_.expand(store_.state(state), steps_);
    if (steps_.size() > 0xffff) throw std::length_error("a state has more than 65,535 steps");
    first_target_.push_back(targets_.size());
    is_end_.push_back(steps_.is_end());
    if (steps_.is_end()) ++result_.ends;
    if (steps_.size() == 0) ++result_.terminal;
    if (!steps_.wrong_here().empty()) {
      // One step shorter than what a step from this depth breaks.
      report(steps_.wrong_here(), state, std::nullopt);
      violated_here_ = true;
      return;
    }
    for (std::size_t step = 0; step < steps_.size(); ++step) {
      if (!steps_.wrong(step).empty()) {
        if (!result_.violation) report(steps_.wrong(step), state, step);
        continue;
      }
      note(steps_.to(step), state, step);
      targets_.push_back(last_);
    }
  }

  void report(const std::string& what, std::uint32_t state, std::optional<std::size_t> last_step) {
    Exploration::Violation violation{what, {}, model_.state_in_words(store_.state(state))};
    if (last_step) violation.trace.push_back(model_.step_in_words(store_.state(state), *last_step));
    for (std::uint32_t at = state; at != 0; at = origins_[at].state) {
      violation.trace.push_back(model_.step_in_words(store_.state(origins_[at].state), origins_[at].step));
    }
    std::reverse(violation.trace.begin(), violation.trace.end());
    result_.violation = std::move(violation);
  }

  bool is_cut_short(std::uint32_t state) {
    if (result_.violation) return false;
    if (store_.size() > limits_.states) {
      result_.cut_short = fmt::format("more than {} states, which is the limit", limits_.states);
    } else if (state % 4096 == 0 && bytes() > limits_.bytes) {
      result_.cut_short = fmt::format("more than {} MiB of memory, which is the limit", limits_.bytes >> 20);
    } else if (state % 4096 == 0 && stop_ && stop_()) {
      result_.cut_short = "interrupted";
    }
    return !result_.cut_short.empty();
  }

  std::uint64_t bytes() const {
    return store_.bytes() + origins_.capacity() * sizeof(Origin) + targets_.capacity() * sizeof(std::uint32_t) +
           first_target_.capacity() * sizeof(std::uint64_t);
  }

  // Backwards from the ends, until no state is added. States are numbered by depth, so that going from the last to the
  // first takes few rounds; and it needs no memory for transitions the other way round.
  void find_doomed() {
    std::vector<bool>& reaches = is_end_;
    first_target_.push_back(targets_.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t state = reaches.size(); state-- > 0;) {
        for (std::uint64_t i = first_target_[state]; !reaches[state] && i != first_target_[state + 1]; ++i) {
          if (reaches[targets_[i]]) reaches[state] = changed = true;
        }
      }
    }
    const auto doomed = std::find(reaches.begin(), reaches.end(), false);
    if (doomed == reaches.end()) return;
    report("no order of steps leads to an end from here", static_cast<std::uint32_t>(doomed - reaches.begin()),
           std::nullopt);
  }

  Model& model_;
  const ExplorationLimits limits_;
  const std::function<bool()>& stop_;
  StateStore store_;
  std::vector<Origin> origins_;              // of each state
  std::vector<std::uint32_t> targets_;       // of all transitions, state by state
  std::vector<std::uint64_t> first_target_;  // of each state
  std::vector<bool> is_end_;
  std::uint32_t last_ = 0;  // noted
  bool violated_here_ = false;
  Steps steps_;
  Exploration result_;
};

}  // namespace

Exploration explore(Model& model, const ExplorationLimits& limits, const std::function<bool()>& stop) {
  return Search(model, limits, stop).run();
}

}  // namespace racksim::sim
