#include "sim/checkers/linearizability_search.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "sim/checkers/visited_states.hpp"

namespace racksim::sim::checkers {
namespace {

/// At most so many operations are named that ran while another could find no place.
constexpr std::size_t kNamed = 8;

// The fingerprint's name of the object's state; the names of taken operations are their indices.
constexpr std::uint64_t kObject = ~std::uint64_t{0};

/// The beginnings and ends of the operations not yet taken, as a doubly linked list in the order of events.
class OpenEvents {
 public:
  struct Event {
    std::uint64_t position = 0;
    std::size_t operation = 0;
    bool is_end = false;
    std::size_t previous = 0, next = 0;
  };

  explicit OpenEvents(Operations operations) : end_of_(operations.size(), 0), begin_of_(operations.size(), 0) {
    events_.emplace_back();  // the anchor of the ring
    for (std::size_t i = 0; i < operations.size(); ++i) {
      events_.push_back({operations[i].invoked, i, false, 0, 0});
      if (!operations[i].pending()) events_.push_back({operations[i].responded, i, true, 0, 0});
    }
    std::sort(events_.begin() + 1, events_.end(),
              [](const Event& a, const Event& b) { return a.position < b.position; });
    for (std::size_t e = 0; e < events_.size(); ++e) {
      events_[e].previous = e == 0 ? events_.size() - 1 : e - 1;
      events_[e].next = e + 1 == events_.size() ? 0 : e + 1;
      if (e != 0) (events_[e].is_end ? end_of_ : begin_of_)[events_[e].operation] = e;
    }
  }

  /// 0 if there is none.
  std::size_t first() const { return events_[0].next; }
  std::size_t after(std::size_t event) const { return events_[event].next; }
  const Event& operator[](std::size_t event) const { return events_[event]; }
  std::size_t begin_of(std::size_t operation) const { return begin_of_[operation]; }

  void take(std::size_t operation) {
    unlink(begin_of_[operation]);
    if (end_of_[operation] != 0) unlink(end_of_[operation]);
  }
  /// Only for the operation taken last.
  void put_back(std::size_t operation) {
    if (end_of_[operation] != 0) link(end_of_[operation]);
    link(begin_of_[operation]);
  }

 private:
  void unlink(std::size_t event) {
    events_[events_[event].previous].next = events_[event].next;
    events_[events_[event].next].previous = events_[event].previous;
  }
  void link(std::size_t event) {
    events_[events_[event].previous].next = event;
    events_[events_[event].next].previous = event;
  }

  std::vector<Event> events_;
  std::vector<std::size_t> end_of_, begin_of_;
};

class LinearizabilitySearch {
 public:
  LinearizabilitySearch(Operations operations, const SequentialSpecification& object, std::uint64_t initial,
                        SearchBudget budget)
      : operations_(operations), object_(object), budget_(budget), open_(operations), state_(object.initial(initial)) {
    for (const auto& operation : operations) left_ += operation.pending() ? 0 : 1;
    fewest_left_ = left_;
    fingerprint_.add(kObject, state_);
  }

  Outcome run() {
    auto event = open_.first();
    bool pending_ones = false;  // they are tried when nothing else can be taken: most need not be
    while (left_ > 0) {
      // A pending operation has no end, so as long as an operation is left that has one, an end is still to come.
      const auto index = open_[event].operation;
      if (!open_[event].is_end) {
        if (operations_[index].pending() != pending_ones) {
          event = open_.after(event);
          continue;
        }
        if (steps_++ == budget_.steps) return given_up();
        if (take(index)) {
          event = open_.first();
          pending_ones = false;
        } else {
          event = open_.after(event);
        }
      } else if (!pending_ones) {
        event = open_.first();
        pending_ones = true;
      } else {
        if (left_ <= fewest_left_) {
          fewest_left_ = left_;
          stuck_ = index;
        }
        if (taken_.empty()) return refused();
        const auto last = take_back();
        event = open_.after(open_.begin_of(last));
        pending_ones = operations_[last].pending();
      }
    }
    return {};
  }

 private:
  struct Taken {
    std::size_t operation;
    ObjectState before;
  };

  bool take(std::size_t index) {
    const auto& operation = operations_[index];
    ObjectState after = state_;
    if (!object_.apply(after, operation)) return false;
    if (operation.pending() && after == state_) return false;  // no need to take it
    auto fingerprint = fingerprint_;
    fingerprint.remove(kObject, state_);
    fingerprint.add(kObject, after);
    fingerprint.add(index);
    if (!visited_.is_news(fingerprint, pending_taken_)) return false;
    if (operation.pending()) pending_taken_.push_back(index);
    fingerprint_ = fingerprint;
    state_.swap(after);
    taken_.push_back({index, std::move(after)});
    open_.take(index);
    left_ -= operation.pending() ? 0 : 1;
    return true;
  }

  std::size_t take_back() {
    auto taken = std::move(taken_.back());
    taken_.pop_back();
    fingerprint_.remove(taken.operation);
    fingerprint_.remove(kObject, state_);
    fingerprint_.add(kObject, taken.before);
    state_ = std::move(taken.before);
    open_.put_back(taken.operation);
    if (operations_[taken.operation].pending()) {
      pending_taken_.pop_back();
    } else {
      ++left_;
    }
    return taken.operation;
  }

  Outcome refused() const {
    const auto& stuck = operations_[stuck_];
    Outcome outcome{Verdict::fail,
                    "no order of the operations explains their results; the first operation finds no place before its "
                    "end in any of the longest explanations, whatever the order of those that ran beside it",
                    {stuck}};
    for (const auto& operation : operations_) {
      if (outcome.operations.size() > kNamed) break;
      if (operation.id != stuck.id && !operation.precedes(stuck) && !stuck.precedes(operation))
        outcome.operations.push_back(operation);
    }
    return outcome;
  }

  Outcome given_up() const {
    return {Verdict::undecided,
            fmt::format("the search for an order was given up after {} steps, with {} operations still to be placed, "
                        "first of all this one",
                        budget_.steps, fewest_left_),
            {operations_[open_[open_.first()].operation]}};
  }

  Operations operations_;
  const SequentialSpecification& object_;
  SearchBudget budget_;
  OpenEvents open_;
  ObjectState state_;
  Fingerprint fingerprint_;
  VisitedStates visited_;
  std::vector<Taken> taken_;
  std::vector<std::size_t> pending_taken_;
  std::size_t left_ = 0;         // operations that returned and are not taken
  std::size_t fewest_left_ = 0;  // the fewest that were ever left when the search had to turn back
  std::size_t stuck_ = 0;        // the operation whose end made it turn back there
  std::uint64_t steps_ = 0;
};

}  // namespace

Outcome search_linearizable(Operations operations, const SequentialSpecification& object, std::uint64_t initial,
                            SearchBudget budget) {
  require_history(operations);
  return LinearizabilitySearch(operations, object, initial, budget).run();
}

}  // namespace racksim::sim::checkers
