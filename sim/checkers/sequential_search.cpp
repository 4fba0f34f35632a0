#include "sim/checkers/sequential_search.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "sim/checkers/program_order.hpp"
#include "sim/checkers/visited_states.hpp"

namespace racksim::sim::checkers {
namespace {

class SequentialSearch {
 public:
  SequentialSearch(Operations operations, const SequentialSpecification& object, const InitialValues& initial,
                   SearchBudget budget)
      : operations_(operations),
        object_(object),
        budget_(budget),
        programs_(programs_of(operations)),
        next_(programs_.sessions.size(), 0),
        used_(programs_.pending.size(), false) {
    for (const auto& operation : operations) keys_.push_back(operation.key);
    std::sort(keys_.begin(), keys_.end());
    keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
    for (const auto key : keys_) {
      const auto value = initial.find(key);
      objects_.push_back(object.initial(value == initial.end() ? 0 : value->second));
      fingerprint_.add(object_name(objects_.size() - 1), objects_.back());
    }
    for (const auto& operation : operations) key_of_.push_back(index_of(operation.key));
    left_ = operations.size() - programs_.pending.size();
    fewest_left_ = left_ + 1;
  }

  Outcome run() {
    path_.emplace_back();
    while (left_ > 0) {
      if (left_ < fewest_left_) {
        fewest_left_ = left_;
        stuck_ = heads();
      }
      auto& frame = path_.back();
      const auto choice = frame.settled ? std::nullopt : next_choice(frame.tried);
      if (!choice) {
        if (path_.size() == 1) return refused();
        take_back();
        continue;
      }
      if (steps_++ == budget_.steps) return given_up();
      frame.tried = choice->rank;
      take(*choice, frame);
    }
    return {};
  }

 private:
  /// Operations that returned first are tried first: the order of a history that is linearizable is close to it.
  using Rank = std::pair<std::uint64_t, std::size_t>;

  struct Choice {
    Rank rank;
    std::size_t operation = 0;
    std::size_t session = 0;
    std::optional<std::size_t> pending;  // its index among the pending operations
  };

  struct Frame {
    Rank tried{0, 0};
    bool settled = false;  // nothing else need be tried here
    // How this frame was reached.
    Choice choice;
    ObjectState before;
  };

  std::uint64_t object_name(std::size_t key) const { return operations_.size() + key; }
  std::size_t index_of(std::uint64_t key) const {
    return static_cast<std::size_t>(std::lower_bound(keys_.begin(), keys_.end(), key) - keys_.begin());
  }

  /// The operation of the lowest rank above `tried` that program order allows now.
  std::optional<Choice> next_choice(const Rank& tried) const {
    std::optional<Choice> best;
    const auto offer = [&](std::size_t operation, std::size_t session, std::optional<std::size_t> pending) {
      const Rank rank{operations_[operation].responded, operation + 1};
      if (rank > tried && (!best || rank < best->rank)) best = Choice{rank, operation, session, pending};
    };
    for (std::size_t s = 0; s < next_.size(); ++s) {
      if (next_[s] < programs_.sessions[s].size()) offer(programs_.sessions[s][next_[s]], s, std::nullopt);
    }
    for (std::size_t p = 0; p < used_.size(); ++p) {
      const auto& pending = programs_.pending[p];
      if (!used_[p] && next_[pending.session] >= pending.after) offer(pending.operation, pending.session, p);
    }
    return best;
  }

  void take(const Choice& choice, Frame& frame) {
    const auto key = key_of_[choice.operation];
    ObjectState after = objects_[key];
    if (!object_.apply(after, operations_[choice.operation])) return;
    const bool changes = after != objects_[key];
    if (choice.pending && !changes) return;
    auto fingerprint = fingerprint_;
    fingerprint.remove(object_name(key), objects_[key]);
    fingerprint.add(object_name(key), after);
    fingerprint.add(choice.operation);
    // A read that is possible now may as well be taken now: every way on remains open. (Not so a write that changes
    // nothing now: later it might.)
    if (!changes && operations_[choice.operation].action == Action::read) frame.settled = true;
    if (!visited_.is_news(fingerprint, pending_taken_)) return;
    fingerprint_ = fingerprint;
    objects_[key].swap(after);
    if (choice.pending) {
      used_[*choice.pending] = true;
      pending_taken_.push_back(choice.operation);
    } else {
      ++next_[choice.session];
      --left_;
    }
    path_.push_back({{0, 0}, false, choice, std::move(after)});
  }

  void take_back() {
    auto frame = std::move(path_.back());
    path_.pop_back();
    const auto key = key_of_[frame.choice.operation];
    fingerprint_.remove(frame.choice.operation);
    fingerprint_.remove(object_name(key), objects_[key]);
    fingerprint_.add(object_name(key), frame.before);
    objects_[key] = std::move(frame.before);
    if (frame.choice.pending) {
      used_[*frame.choice.pending] = false;
      pending_taken_.pop_back();
    } else {
      --next_[frame.choice.session];
      ++left_;
    }
  }

  /// The next operation of each session.
  std::vector<std::size_t> heads() const {
    std::vector<std::size_t> result;
    for (std::size_t s = 0; s < next_.size(); ++s) {
      if (next_[s] < programs_.sessions[s].size()) result.push_back(programs_.sessions[s][next_[s]]);
    }
    return result;
  }

  Outcome with_stuck(Verdict verdict, std::string why) const {
    Outcome outcome{verdict, std::move(why), {}};
    for (const auto operation : stuck_) outcome.operations.push_back(operations_[operation]);
    return outcome;
  }
  Outcome refused() const {
    return with_stuck(Verdict::fail,
                      fmt::format("no sequential order explains the results; the longest explanation leaves {} "
                                  "operations, of which each session's next is one of these",
                                  fewest_left_));
  }
  Outcome given_up() const {
    return with_stuck(Verdict::undecided,
                      fmt::format("the search for a sequential order was given up after {} steps; the longest "
                                  "explanation so far leaves {} operations, of which each session's next is one of "
                                  "these",
                                  budget_.steps, fewest_left_));
  }

  Operations operations_;
  const SequentialSpecification& object_;
  SearchBudget budget_;
  Programs programs_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::size_t> key_of_;  // of each operation, as an index of keys_
  std::vector<ObjectState> objects_;
  std::vector<std::size_t> next_;  // of each session
  std::vector<bool> used_;         // of each pending operation: taken
  std::vector<std::size_t> pending_taken_;
  std::vector<Frame> path_;
  Fingerprint fingerprint_;
  VisitedStates visited_;
  std::size_t left_ = 0;
  std::size_t fewest_left_ = 0;
  std::vector<std::size_t> stuck_;
  std::uint64_t steps_ = 0;
};

}  // namespace

Outcome search_sequential(Operations operations, const SequentialSpecification& object, const InitialValues& initial,
                          SearchBudget budget) {
  require_history(operations);
  return SequentialSearch(operations, object, initial, budget).run();
}

}  // namespace racksim::sim::checkers
