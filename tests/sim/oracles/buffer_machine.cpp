#include "tests/sim/oracles/buffer_machine.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace racksim::sim {
namespace {

class Execution {
 public:
  Execution(const Machine& machine, RandomStream& random)
      : machine_(machine), random_(random), sessions_(machine.sessions) {}

  Story run() {
    while (begun_ < machine_.operations || is_busy()) {
      const auto index = static_cast<std::uint32_t>(random_.below(sessions_.size()));
      auto& session = sessions_[index];
      if (random_.chance(machine_.drain)) {
        drain(index);
      } else if (!session.under_way.empty() && random_.chance(0.6)) {
        advance(index, session.under_way[random_.below(session.under_way.size())]);
      } else if (session.under_way.size() < machine_.width) {
        begin(index);
      }
    }
    return std::move(story_);
  }

 private:
  struct UnderWay {
    Event event;  // its beginning
    bool done = false;
  };
  struct Session {
    std::vector<UnderWay> under_way;
    std::vector<Event> buffer;           // writes and unlocks, oldest first
    std::optional<OperationKind> holds;  // as what it asked for the lock
    bool wants_out = false;              // an unlock has begun
  };

  bool is_busy() const {
    return std::any_of(sessions_.begin(), sessions_.end(),
                       [](const Session& s) { return !s.under_way.empty() || !s.buffer.empty() || s.holds; });
  }

  void begin(std::uint32_t index) {
    auto& session = sessions_[index];
    Event event{0, Observed::operation_begun, index, 0, OperationKind::read, 0, 0};
    const bool last_words = begun_ >= machine_.operations;
    if (last_words && (!session.holds || session.wants_out)) return;
    const auto draw = random_.below(10);
    if (last_words || (machine_.locks && draw < 3 && session.holds && !session.wants_out)) {
      event.kind = OperationKind::unlock;
      event.key = Teller::kLock;
      session.wants_out = true;
    } else if (machine_.locks && draw < 3 && !session.holds) {
      const OperationKind kinds[] = {OperationKind::lock, OperationKind::lock_shared, OperationKind::try_lock};
      event.kind = kinds[draw];
      event.key = Teller::kLock;
    } else {
      event.key = random_.below(machine_.keys);
      if (draw < 7) {
        event.kind = draw % 2 == 0 ? OperationKind::write : OperationKind::read;
      } else if (draw == 7 && machine_.fences) {
        event.kind = OperationKind::fence;
        event.key = 0;
      } else if (draw == 8 && machine_.atomics) {
        event.kind = OperationKind::fetch_and_add;
      } else if (draw == 9 && machine_.atomics) {
        event.kind = OperationKind::compare_and_swap;
        event.expected = memory_[event.key];
      }
      if (event.kind != OperationKind::read && event.kind != OperationKind::fence) event.value = ++values_;
    }
    event.operation = ++operations_;
    begun_ += last_words ? 0 : 1;
    told(event);
    session.under_way.push_back({event});
  }

  /// The operation takes effect if it can, or ends if it has.
  void advance(std::uint32_t index, UnderWay& operation) {
    if (!operation.done) {
      operation.done = take_effect(index, operation.event);
      if (!operation.done || random_.chance(0.5)) return;
    }
    auto ended = operation.event;
    ended.what = Observed::operation_ended;
    told(ended);
    std::erase_if(sessions_[index].under_way,
                  [&](const UnderWay& other) { return other.event.operation == ended.operation; });
  }

  /// False if it has to wait. Afterwards the event holds what it returns.
  bool take_effect(std::uint32_t index, Event& event) {
    auto& session = sessions_[index];
    const bool empty = session.buffer.empty();
    switch (event.kind) {
      case OperationKind::read:
        if (machine_.model == MemoryModel::sc && !empty) return false;
        event.value = seen(index, event.key);
        return true;
      case OperationKind::write:
        if (machine_.model == MemoryModel::sc && !empty) return false;
        session.buffer.push_back(event);
        return true;
      case OperationKind::fence:
        return empty || machine_.bug == Bug::weak_fence;
      case OperationKind::unlock:
        session.buffer.push_back(event);
        return true;
      case OperationKind::compare_and_swap:
      case OperationKind::fetch_and_add:
        return act_atomically(session, event);
      default:
        return take_lock(session, event);
    }
  }

  bool act_atomically(const Session& session, Event& event) {
    const bool waits = std::any_of(session.buffer.begin(), session.buffer.end(), [&](const Event& e) {
      return machine_.model != MemoryModel::pso || e.key == event.key;
    });
    if (waits && machine_.bug != Bug::weak_atomic) return false;
    const auto given = event.value;
    event.value = memory_[event.key];
    if (machine_.bug == Bug::torn_atomic && random_.chance(0.5)) drain(random_.below(sessions_.size()));
    event.wrote = event.kind == OperationKind::fetch_and_add || event.value == event.expected;
    if (!event.wrote) return true;
    auto performed = event;
    performed.value = event.kind == OperationKind::fetch_and_add ? event.value + given : given;
    perform(performed);
    return true;
  }

  bool take_lock(Session& session, Event& event) {
    const bool shared = is_shared(event.kind);
    const bool free = std::none_of(sessions_.begin(), sessions_.end(), [&](const Session& other) {
      return other.holds && !(shared && is_shared(*other.holds));
    });
    if (!session.buffer.empty() && machine_.bug != Bug::weak_lock) return false;
    event.value = free ? 1 : 0;
    if (!free) return event.kind == OperationKind::try_lock;
    session.holds = event.kind;
    return true;
  }

  std::uint64_t seen(std::uint32_t index, std::uint64_t key) {
    const auto newest = [key](const Session& session) {
      return std::find_if(session.buffer.rbegin(), session.buffer.rend(),
                          [key](const Event& e) { return e.kind == OperationKind::write && e.key == key; });
    };
    if (machine_.bug == Bug::leaky_buffer) {
      const auto& other = sessions_[random_.below(sessions_.size())];
      if (const auto leak = newest(other); leak != other.buffer.rend()) return leak->value;
    }
    const auto& own = sessions_[index];
    const auto write = newest(own);
    if (write != own.buffer.rend() && machine_.bug != Bug::no_forwarding) return write->value;
    if (machine_.bug == Bug::stale_read && random_.chance(0.5)) return before_[key];
    return memory_[key];
  }

  void drain(std::size_t index) {
    auto& session = sessions_[index];
    auto& buffer = session.buffer;
    if (buffer.empty()) return;
    std::size_t place = 0;
    if (machine_.model == MemoryModel::pso || machine_.bug == Bug::reordered) place = random_.below(buffer.size());
    const auto event = buffer[place];
    const bool is_unlock = event.kind == OperationKind::unlock;
    const bool behind = std::any_of(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(place),
                                    [&](const Event& e) { return is_unlock || e.key == event.key; });
    const bool may_overtake = is_unlock ? machine_.bug == Bug::weak_lock : machine_.bug == Bug::reordered;
    if (behind && !may_overtake) return;
    buffer.erase(buffer.begin() + static_cast<std::ptrdiff_t>(place));
    if (is_unlock) {
      session.holds.reset();
      session.wants_out = false;
    } else if (machine_.bug != Bug::lost_write || random_.chance(0.8)) {
      perform(event);
    }
  }

  void perform(Event event) {
    before_[event.key] = memory_[event.key];
    memory_[event.key] = event.value;
    event.what = Observed::performed;
    told(event);
  }

  void told(Event event) {
    event.at = ++now_;
    story_.push_back(event);
  }

  const Machine& machine_;
  RandomStream& random_;
  std::vector<Session> sessions_;
  std::map<std::uint64_t, std::uint64_t> memory_, before_;
  Story story_;
  std::uint64_t now_ = 0, operations_ = 0, begun_ = 0, values_ = 0;
};

}  // namespace

Story random_story(const Machine& machine, RandomStream& random) {
  return Execution(machine, random).run();
}

}  // namespace racksim::sim
