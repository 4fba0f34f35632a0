// The walks. See walk.hpp.
#include "sim/exploration/walk.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "sim/random/random.hpp"

namespace racksim::sim {
namespace {

class Walker {
 public:
  Walker(Model& model, const WalkLimits& limits) : model_(model), limits_(limits), initial_(model.initial()) {}

  /// Goes the walk of this number to its end; what was wrong, if anything was.
  std::optional<Exploration::Violation> run(std::uint64_t number) {
    RandomStream random(limits_.seed, fmt::format("walk {}", number));
    state_ = initial_;
    taken_.clear();
    for (;;) {
      steps_.clear();
      const std::size_t choices = model_.look(state_, steps_);
      if (!steps_.wrong_here().empty()) return violation(steps_.wrong_here());
      if (choices == 0 && steps_.is_end()) return std::nullopt;
      if (choices == 0) return violation("there is no step, and this is no end");
      if (taken_.size() == limits_.steps) return violation(fmt::format("no end after {} steps", limits_.steps));
      const auto step = static_cast<std::size_t>(random.below(choices));
      taken_.push_back(static_cast<std::uint16_t>(step));
      steps_.clear();
      model_.take(state_, step, steps_);
      if (!steps_.wrong(0).empty()) return violation(steps_.wrong(0));
      next_ = steps_.to(0);
      std::swap(state_, next_);
    }
  }
  std::uint64_t length() const { return taken_.size(); }

 private:
  // Taken again, step by step, to be told.
  Exploration::Violation violation(const std::string& what) {
    Exploration::Violation found{what, {}, ""};
    std::string state = initial_;
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      found.trace.push_back(model_.step_in_words(state, taken_[i]));
      found.state = model_.state_in_words(state);
      steps_.clear();
      model_.take(state, taken_[i], steps_);
      if (steps_.wrong(0).empty()) {
        state = std::string(steps_.to(0));
        found.state = model_.state_in_words(state);
      }
    }
    return found;
  }

  Model& model_;
  const WalkLimits limits_;
  const std::string initial_;
  std::string state_, next_;
  std::vector<std::uint16_t> taken_;
  Steps steps_;
};

}  // namespace

Walks walk(Model& model, const WalkLimits& limits, const std::function<bool()>& stop) {
  Walker walker(model, limits);
  Walks result;
  while (result.walks < limits.walks && !result.violation) {
    if (result.walks % 64 == 0 && stop && stop()) break;
    result.violation = walker.run(++result.walks);
    result.steps += walker.length();
    result.longest = std::max(result.longest, walker.length());
  }
  return result;
}

}  // namespace racksim::sim
