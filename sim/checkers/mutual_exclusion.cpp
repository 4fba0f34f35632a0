#include "sim/checkers/mutual_exclusion.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace racksim::sim::checkers {
namespace {

class Sweep {
 public:
  explicit Sweep(Operations operations) : operations_(operations) {}

  Outcome run() {
    if (auto problem = not_judged()) return *problem;
    struct Event {
      std::uint64_t position;
      std::size_t operation;
    };
    std::vector<Event> events;  // grants and releases
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      const auto& operation = operations_[i];
      if (operation.action == Action::unlock || operation.pending())
        events.push_back({operation.invoked, i});
      else
        events.push_back({operation.responded, i});
    }
    std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.position < b.position; });
    for (const auto& event : events) {
      const auto& operation = operations_[event.operation];
      auto problem = operation.action == Action::unlock ? release(operation) : grant(operation, event.operation);
      if (problem) return *problem;
    }
    return {};
  }

 private:
  struct Holder {
    std::size_t grant;
    bool may_be_gone = false;  // a release is pending
  };

  std::optional<Outcome> not_judged() const {
    std::map<std::uint32_t, std::size_t> busy;  // the last operation of each session that returned
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      const auto& operation = operations_[i];
      if (operation.action != Action::lock && operation.action != Action::lock_shared &&
          operation.action != Action::unlock)
        return Outcome{Verdict::undecided, "this operation is not a lock's", {operation}};
      const auto last = busy.find(operation.session);
      if (last != busy.end() && !operations_[last->second].precedes(operation)) {
        return Outcome{
            Verdict::undecided, "two operations of one session overlap", {operations_[last->second], operation}};
      }
      if (!operation.pending()) busy[operation.session] = i;
    }
    return std::nullopt;
  }

  std::optional<Outcome> grant(const Operation& operation, std::size_t index) {
    if (operation.pending()) {
      unanswered_.push_back(operation.session);
      return std::nullopt;
    }
    for (auto holder = holders_.begin(); holder != holders_.end();) {
      const auto& other = operations_[holder->grant];
      if (operation.action == Action::lock_shared && other.action == Action::lock_shared) {
        ++holder;
      } else if (holder->may_be_gone) {
        holder = holders_.erase(holder);
      } else {
        return Outcome{Verdict::fail, "the lock was granted to the second while the first held it", {other, operation}};
      }
    }
    holders_.push_back({index});
    return std::nullopt;
  }

  std::optional<Outcome> release(const Operation& operation) {
    const auto held = [&](bool may_be_gone) {
      return std::find_if(holders_.begin(), holders_.end(), [&](const Holder& holder) {
        return operations_[holder.grant].session == operation.session && holder.may_be_gone == may_be_gone;
      });
    };
    auto holder = held(false);
    if (operation.pending()) {
      if (holder != holders_.end()) holder->may_be_gone = true;
      return std::nullopt;
    }
    if (holder == holders_.end()) holder = held(true);
    if (holder != holders_.end()) {
      holders_.erase(holder);
      return std::nullopt;
    }
    if (std::find(unanswered_.begin(), unanswered_.end(), operation.session) != unanswered_.end()) {
      return Outcome{
          Verdict::undecided, "a session released what only its unanswered request can have given it", {operation}};
    }
    return Outcome{Verdict::fail, "a session released a lock that it did not hold", {operation}};
  }

  Operations operations_;
  std::vector<Holder> holders_;
  std::vector<std::uint32_t> unanswered_;  // sessions with a pending request
};

}  // namespace

Outcome check_mutual_exclusion(Operations operations) {
  require_history(operations);
  return Sweep(operations).run();
}

}  // namespace racksim::sim::checkers
