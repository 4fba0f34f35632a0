// What an exploration explores: a model says where it begins and which steps each state allows; the search (search.hpp)
// and the walks (walk.hpp) know nothing else of it. A protocol registers the models of itself, and `racksim explore`
// runs them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/options/parameters.hpp"
#include "sim/options/registry.hpp"

namespace racksim::sim {

/// What a model says about one state.
class Steps {
 public:
  /// A step leads from here to the state of this encoding. Steps are numbered in the order in which they are added.
  void add(std::string_view to) {
    encodings_ += to;
    ends_.push_back(encodings_.size());
    wrong_.emplace_back();
  }
  /// A step that breaks a promise: what is said of it. It leads nowhere.
  void add_wrong(std::string what) {
    add({});
    wrong_.back() = std::move(what);
  }
  /// This state itself breaks a promise.
  void set_wrong(std::string what) { wrong_here_ = std::move(what); }
  /// This is an end: a state that every other must be able to reach.
  void set_end() { end_ = true; }

  std::size_t size() const { return ends_.size(); }
  std::string_view to(std::size_t step) const {
    const std::size_t from = step == 0 ? 0 : ends_[step - 1];
    return std::string_view(encodings_).substr(from, ends_[step] - from);
  }
  /// Empty if the step breaks nothing.
  const std::string& wrong(std::size_t step) const { return wrong_[step]; }
  const std::string& wrong_here() const { return wrong_here_; }
  bool is_end() const { return end_; }
  void clear() {
    encodings_.clear();
    ends_.clear();
    wrong_.clear();
    wrong_here_.clear();
    end_ = false;
  }

 private:
  std::string encodings_;
  std::vector<std::size_t> ends_;
  std::vector<std::string> wrong_;
  std::string wrong_here_;
  bool end_ = false;
};

/// States are bytes: two states are the same if their encodings are, so an encoding is canonical (what has no order is
/// sorted) and holds all that the future depends on.
class Model {
 public:
  virtual ~Model() = default;

  virtual std::string initial() = 0;
  /// Adds the state's steps, at most 65,535, always in the same order.
  virtual void expand(std::string_view state, Steps& steps) = 0;
  /// For walks, which take one step of each state: how many steps it has. What is to be said of the state itself is in
  /// `said`. A model whose steps take time does both without the steps that are not taken.
  virtual std::size_t look(std::string_view state, Steps& said) {
    expand(state, said);
    return said.size();
  }
  /// Adds this step alone.
  virtual void take(std::string_view state, std::size_t step, Steps& steps) {
    Steps all;
    expand(state, all);
    if (all.wrong(step).empty()) return steps.add(all.to(step));
    steps.add_wrong(all.wrong(step));
  }
  /// A step of a state, by its number, in words.
  virtual std::string step_in_words(std::string_view state, std::size_t step) = 0;
  virtual std::string state_in_words(std::string_view state) = 0;
};

/// A model's options, and the way from options to models.
class ExplorationOptions {
 public:
  virtual ~ExplorationOptions() = default;
  virtual void declare(Parameters& parameters) = 0;
  /// A model, and what it is of, if there are several, each of which is explored alone. Throws OptionError if the
  /// options do not fit each other.
  struct Part {
    std::string name;
    std::unique_ptr<Model> model;
  };
  virtual std::vector<Part> build() const = 0;
};

struct ExplorationEntry {
  static constexpr std::string_view kWhat = "model";
  std::string name, doc;
  std::function<std::unique_ptr<ExplorationOptions>()> make_options;
};

/// All models linked into the program, in the order of their names.
inline const std::vector<ExplorationEntry>& explorations() {
  return Registry<ExplorationEntry>::entries();
}

}  // namespace racksim::sim
