#include "tests/sim/checkers/reference/mutual_exclusion.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
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
      if (!problem) continue;
      if (!stray_ || problem->verdict != Verdict::fail) return *problem;
      return {Verdict::undecided,
              "a release that was never acknowledged may have ended a later hold of its session, by this request",
              {*stray_}};
    }
    return {};
  }

 private:
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
    if (pending_releases_.contains(operation.session) && !stray_) stray_ = operation;
    if (operation.pending()) {
      unanswered_.insert(operation.session);
      return std::nullopt;
    }
    for (auto holder = holders_.begin(); holder != holders_.end();) {
      const auto& other = operations_[*holder];
      if (operation.action == Action::lock_shared && other.action == Action::lock_shared) {
        ++holder;
        continue;
      }
      const auto releases = pending_releases_.find(other.session);
      if (releases == pending_releases_.end() || releases->second == 0)
        return Outcome{Verdict::fail, "the lock was granted to the second while the first held it", {other, operation}};
      --releases->second;  // one has taken effect by now
      holder = holders_.erase(holder);
    }
    holders_.push_back(index);
    return std::nullopt;
  }

  std::optional<Outcome> release(const Operation& operation) {
    if (operation.pending()) {
      ++pending_releases_[operation.session];
      return std::nullopt;
    }
    const auto holder = std::find_if(holders_.begin(), holders_.end(), [&](std::size_t grant) {
      return operations_[grant].session == operation.session;
    });
    if (holder != holders_.end()) {
      holders_.erase(holder);
      return std::nullopt;
    }
    if (unanswered_.contains(operation.session)) {
      return Outcome{
          Verdict::undecided, "a session released what only its unanswered request can have given it", {operation}};
    }
    return Outcome{Verdict::fail, "a session released a lock that it did not hold", {operation}};
  }

  Operations operations_;
  std::vector<std::size_t> holders_;                       // the requests that were granted and not released
  std::map<std::uint32_t, std::size_t> pending_releases_;  // of each session, that may yet take effect
  std::optional<Operation> stray_;                         // a request of a session whose release is pending
  std::set<std::uint32_t> unanswered_;                     // sessions with a pending request
};

}  // namespace

Outcome check_mutual_exclusion(Operations operations) {
  require_history(operations);
  return Sweep(operations).run();
}

}  // namespace racksim::sim::checkers
