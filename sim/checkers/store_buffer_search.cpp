#include "sim/checkers/store_buffer_search.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "sim/checkers/program_order.hpp"
#include "sim/checkers/specification.hpp"
#include "sim/checkers/visited_states.hpp"

namespace racksim::sim::checkers {
namespace {

struct Write {
  std::size_t key;
  std::uint64_t value;
};
using Buffer = std::vector<Write>;  // oldest first

bool is_locks(Action action) {
  return action == Action::lock || action == Action::lock_shared || action == Action::unlock;
}

struct Holder {
  std::size_t lock, session;
  bool exclusive;
};

struct Machine {
  std::vector<std::size_t> next;      // of each session
  std::vector<bool> used;             // of each pending operation
  std::vector<Buffer> buffers;        // of each session
  std::vector<std::uint64_t> memory;  // of each key
  std::vector<Holder> holders;        // of locks: follows from `next` and `used`
  std::size_t left = 0;               // operations that returned and are not executed

  Fingerprint fingerprint() const {
    std::vector<std::uint64_t> words(next.begin(), next.end());
    words.insert(words.end(), used.begin(), used.end());
    words.insert(words.end(), memory.begin(), memory.end());
    for (const auto& buffer : buffers) {
      words.push_back(buffer.size());
      for (const auto& write : buffer) words.insert(words.end(), {write.key, write.value});
    }
    Fingerprint result;
    result.add(0, words);
    return result;
  }
};

class StoreBufferSearch {
 public:
  StoreBufferSearch(Operations operations, StoreOrder order, const InitialValues& initial,
                    const InitialValues& final_values, SearchBudget budget)
      : operations_(operations), order_(order), budget_(budget), programs_(programs_of(operations)) {
    for (const auto& operation : operations) {
      if (!is_locks(operation.action)) keys_.push_back(operation.key);
    }
    for (const auto& [key, value] : final_values) keys_.push_back(key);
    std::sort(keys_.begin(), keys_.end());
    keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
    start_.next.resize(programs_.sessions.size(), 0);
    start_.used.resize(programs_.pending.size(), false);
    start_.buffers.resize(programs_.sessions.size());
    for (const auto key : keys_) {
      const auto value = initial.find(key);
      start_.memory.push_back(value == initial.end() ? 0 : value->second);
    }
    start_.left = operations.size() - programs_.pending.size();
    for (const auto& [key, value] : final_values) final_.push_back({index_of(key), value});
  }

  Outcome run() {
    reach(start_);
    while (!open_.empty()) {
      if (steps_++ == budget_.steps) return given_up();
      const Machine machine = std::move(open_.back());
      open_.pop_back();
      if (machine.left < fewest_left_) {
        fewest_left_ = machine.left;
        furthest_ = machine.next;
      }
      if (is_goal(machine)) return {};
      expand(machine);
    }
    return refused();
  }

 private:
  std::size_t index_of(std::uint64_t key) const {
    return static_cast<std::size_t>(std::lower_bound(keys_.begin(), keys_.end(), key) - keys_.begin());
  }

  bool is_goal(const Machine& machine) const {
    if (machine.left > 0) return false;
    if (final_.empty()) return true;
    return std::all_of(machine.buffers.begin(), machine.buffers.end(), [](const Buffer& b) { return b.empty(); }) &&
           std::all_of(final_.begin(), final_.end(),
                       [&](const Write& wanted) { return machine.memory[wanted.key] == wanted.value; });
  }

  void reach(Machine machine) {
    if (visited_.is_news(machine.fingerprint())) open_.push_back(std::move(machine));
  }

  void expand(const Machine& machine) {
    for (std::size_t s = 0; s < machine.next.size(); ++s) {
      if (machine.next[s] == programs_.sessions[s].size()) continue;
      const auto operation = programs_.sessions[s][machine.next[s]];
      auto after = execute(machine, s, operation);
      if (!after) continue;
      ++after->next[s];
      --after->left;
      reach(std::move(*after));
      // Neither memory nor a buffer changes: to read at once leaves every way on open.
      if (operations_[operation].action == Action::read) return;
    }
    for (std::size_t p = 0; p < machine.used.size(); ++p) {
      const auto& pending = programs_.pending[p];
      if (machine.used[p] || machine.next[pending.session] < pending.after) continue;
      const auto action = operations_[pending.operation].action;
      // Left out, a request for a lock leaves more ways open than granted.
      if (action == Action::read || action == Action::fence || (is_locks(action) && action != Action::unlock)) continue;
      auto after = execute(machine, pending.session, pending.operation);
      if (!after) continue;
      after->used[p] = true;
      reach(std::move(*after));
    }
    for (std::size_t s = 0; s < machine.buffers.size(); ++s) drain(machine, s);
  }

  /// Lets the oldest write that may leave the buffer reach memory; under PSO, that of each key in turn.
  void drain(const Machine& machine, std::size_t session) {
    const auto& buffer = machine.buffers[session];
    for (std::size_t i = 0; i < buffer.size(); ++i) {
      if (order_ == StoreOrder::total && i > 0) break;
      const auto is_older = [&](const Write& write) { return write.key == buffer[i].key; };
      const auto here = buffer.begin() + static_cast<std::ptrdiff_t>(i);
      if (std::any_of(buffer.begin(), here, is_older)) continue;
      Machine after = machine;
      after.memory[buffer[i].key] = buffer[i].value;
      after.buffers[session].erase(after.buffers[session].begin() + static_cast<std::ptrdiff_t>(i));
      reach(std::move(after));
    }
  }

  /// The machine in which the session holds the lock too, or nothing if it must wait.
  static std::optional<Machine> granted(const Machine& machine, const Holder& wanted) {
    const auto excludes = [&](const Holder& holder) {
      return holder.lock == wanted.lock && (holder.exclusive || wanted.exclusive || holder.session == wanted.session);
    };
    if (std::any_of(machine.holders.begin(), machine.holders.end(), excludes)) return std::nullopt;
    Machine after = machine;
    const auto is_before = [](const Holder& a, const Holder& b) {
      return std::pair(a.lock, a.session) < std::pair(b.lock, b.session);
    };
    after.holders.insert(std::upper_bound(after.holders.begin(), after.holders.end(), wanted, is_before), wanted);
    return after;
  }
  static std::optional<Machine> given_back(const Machine& machine, std::size_t lock, std::size_t session) {
    Machine after = machine;
    const auto is_it = [&](const Holder& holder) { return holder.lock == lock && holder.session == session; };
    if (std::erase_if(after.holders, is_it) == 0) return std::nullopt;
    return after;
  }

  /// The machine after this operation, or nothing if it cannot happen now with this result.
  std::optional<Machine> execute(const Machine& machine, std::size_t session, std::size_t index) const {
    const auto& operation = operations_[index];
    const auto& buffer = machine.buffers[session];
    if (is_locks(operation.action)) {
      if (!buffer.empty()) return std::nullopt;
      if (operation.action == Action::unlock) return given_back(machine, operation.key, session);
      return granted(machine, {operation.key, session, operation.action == Action::lock});
    }
    const auto key = index_of(operation.key);
    switch (operation.action) {
      case Action::read: {
        const auto newest =
            std::find_if(buffer.rbegin(), buffer.rend(), [key](const Write& write) { return write.key == key; });
        const auto seen = newest == buffer.rend() ? machine.memory[key] : newest->value;
        if (seen != operation.result) return std::nullopt;
        return machine;
      }
      case Action::write: {
        Machine after = machine;
        after.buffers[session].push_back({key, operation.argument});
        return after;
      }
      case Action::fence:
        if (!buffer.empty()) return std::nullopt;
        return machine;
      default: {
        const auto waits = [&](const Write& write) { return order_ == StoreOrder::total || write.key == key; };
        if (std::any_of(buffer.begin(), buffer.end(), waits)) return std::nullopt;
        ObjectState word{machine.memory[key]};
        if (!RegisterSpecification().apply(word, operation)) return std::nullopt;
        Machine after = machine;
        after.memory[key] = word[0];
        return after;
      }
    }
  }

  Outcome with_furthest(Verdict verdict, std::string why) const {
    Outcome outcome{verdict, std::move(why), {}};
    for (std::size_t s = 0; s < furthest_.size(); ++s) {
      if (furthest_[s] < programs_.sessions[s].size())
        outcome.operations.push_back(operations_[programs_.sessions[s][furthest_[s]]]);
    }
    return outcome;
  }
  Outcome refused() const {
    const auto* model = order_ == StoreOrder::total ? "total" : "partial";
    if (fewest_left_ == 0) {
      return {Verdict::fail,
              fmt::format("{} store order explains the reads, but never with this final memory", model),
              {operations_.begin(), operations_.end()}};
    }
    return with_furthest(Verdict::fail,
                         fmt::format("{} store order cannot explain the results; the longest execution leaves {} "
                                     "operations, of which each session's next is one of these",
                                     model, fewest_left_));
  }
  Outcome given_up() const {
    return with_furthest(Verdict::undecided,
                         fmt::format("the search for an execution was given up after {} steps; the longest so far "
                                     "leaves {} operations, of which each session's next is one of these",
                                     budget_.steps, fewest_left_));
  }

  Operations operations_;
  StoreOrder order_;
  SearchBudget budget_;
  Programs programs_;
  std::vector<std::uint64_t> keys_;
  std::vector<Write> final_;
  Machine start_;
  std::vector<Machine> open_;
  VisitedStates visited_;
  std::size_t fewest_left_ = ~std::size_t{0};
  std::vector<std::size_t> furthest_;
  std::uint64_t steps_ = 0;
};

}  // namespace

Outcome search_store_buffers(Operations operations, StoreOrder order, const InitialValues& initial,
                             const InitialValues& final_values, SearchBudget budget) {
  require_history(operations);
  return StoreBufferSearch(operations, order, initial, final_values, budget).run();
}

}  // namespace racksim::sim::checkers
