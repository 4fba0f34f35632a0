// The calendar: every future event of the simulated rack, in one total order.
//
// Events are ordered by (time, lane, serial in the lane). A lane is the fixed identity of whatever emits the event (a
// wire's end, a queue, a core, a timer's owner), so that the order of two events on one picosecond does not depend on
// when each happened to be scheduled. `ScheduleOrder` can permute the lanes, to explore orders that hardware could
// produce.
//
// Structure: two timing wheels of 4,096 slots (1.024 ns and 4.19 us wide) in front of a heap, plus the open slot, which
// is sorted once when it is reached.
//
//   operation            cost                                    memory
//   schedule             O(1); O(log n) in the open slot or      one 64-byte node per pending event, pooled;
//                        beyond 17 ms                            a 4,096-slot wheel is 16 KiB
//   next event           O(1) amortised + sorting of its slot
//   cancel               O(1)
#pragma once

#include <array>
#include <bit>
#include <coroutine>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "sim/kernel/time.hpp"

namespace racksim::sim {

/// Identity of an emitter of events. Made by `Calendar::add_lane`; at most 2^24 per calendar.
struct Lane {
  std::uint32_t index = 0;
  bool operator==(const Lane&) const = default;
};

/// Names one scheduled event, for cancelling it. The default value names none.
struct EventId {
  std::uint32_t node = 0xffffffff;
  std::uint32_t generation = 0;
  bool operator==(const EventId&) const = default;
};

/// How lanes rank among events of the same picosecond.
enum class TieOrder : std::uint8_t {
  fifo,    ///< in the order of their creation
  lifo,    ///< in the reverse order
  shuffle  ///< another permutation at every instant, drawn from a seed
};
struct ScheduleOrder {
  TieOrder ties = TieOrder::fifo;
  std::uint64_t seed = 0;  ///< of a shuffle
};

/// The pending events of one simulated rack, and its clock. Several may live in one process.
class Calendar {
 public:
  /// Begins at `start`, which may lie before zero: what is done to warm a rack up takes time, but none of the run's.
  explicit Calendar(ScheduleOrder order = {}, Time start = {});
  Calendar(const Calendar&) = delete;
  Calendar& operator=(const Calendar&) = delete;

  /// Makes a lane. Call in a fixed order while the rack is built: the order is the lanes' rank under `fifo`.
  /// Throws std::length_error beyond 2^24 lanes.
  Lane add_lane(std::string name);
  const std::string& lane_name(Lane lane) const { return lane_names_[lane.index]; }

  /// The instant of the event being executed, or the instant up to which the calendar has run.
  Time now() const { return now_; }

  /// Whether an event on `lane` at `when` would have been executed by now, had it been pending for long: it comes
  /// before the event being executed or before one of the same instant that was executed earlier. For models that
  /// compute events of theirs later than at their instants. The lane must have no other event at `when`.
  bool has_passed(Time when, Lane lane) const {
    if (when != now_) return when < now_;
    return std::uint64_t{rank(lane.index, when.ps())} << kSerialBits < highest_key_;
  }

  /// Schedules a call of `(target.*Handler)(args...)` at `when`, on `lane`. Up to two arguments, each trivially
  /// copyable and at most 8 bytes. Throws std::logic_error when `when` lies in the past.
  template <auto Handler, class Target, class... Args>
  EventId at(Time when, Lane lane, Target& target, Args... args) {
    static_assert(sizeof...(Args) <= 2, "an event carries two words");
    Words words{};
    std::size_t i = 0;
    ((words[i++] = pack(args)), ...);
    return schedule(when, lane, &invoke<Handler, Target, Args...>, &target, words);
  }

  /// The same, `delay` after now.
  template <auto Handler, class Target, class... Args>
  EventId after(Duration delay, Lane lane, Target& target, Args... args) {
    return at<Handler>(now_ + delay, lane, target, args...);
  }

  /// Removes an event that has not been executed. Returns whether there was one.
  bool cancel(EventId id);
  bool is_pending(EventId id) const;

  /// Executes the next event if its time is at most `limit`; returns whether there was one.
  bool run_one(Time limit = Time::max());

  /// Executes all events up to and including `limit`, or until `stop` is called; then, unless stopped, now() == limit
  /// (with Time::max(): the time of the last event).
  void run_until(Time limit = Time::max());

  /// Makes `run_until` return after the current event.
  void stop() { stopped_ = true; }

  /// Lets time pass in which nothing happens: afterwards it is `when`, as if the calendar had begun there. Throws
  /// std::logic_error if an event is pending before.
  void skip_to(Time when);

  /// The time of the next event, if any.
  std::optional<Time> next_time();

  std::size_t pending() const { return pending_; }
  std::uint64_t executed() const { return executed_; }
  /// The event being executed, or executed last, for messages: its number, its instant and its lane.
  std::string last_event() const;

  /// Resumes a coroutine after the current event's handler has returned, at the same instant, in the order of the
  /// calls. Resuming through this queue rather than directly keeps the native stack flat.
  void resume_soon(std::coroutine_handle<> task) { ready_.push_back(task); }
  /// Takes a coroutine that is about to be destroyed out of that queue.
  void forget(std::coroutine_handle<> task);
  /// Resumes what `resume_soon` has collected. Called by the calendar after each event; by others only outside events.
  void drain_ready();

 private:
  using Words = std::array<std::uint64_t, 2>;
  using Thunk = void (*)(void* target, Words words);

  enum class State : std::uint8_t { free, wheel0, wheel1, sorted, cancelled };

  struct Node {
    std::int64_t time;
    std::uint64_t key;  // rank of the lane in the upper 24 bits, serial in the lower 40
    Thunk thunk;
    void* target;
    Words words;
    std::uint32_t next;
    std::uint32_t previous;
    std::uint32_t generation;
    std::uint16_t slot;
    State state;
  };
  static_assert(sizeof(Node) == 64, "one cache line an event");

  // What the sorted structures hold, so that comparing does not touch the nodes.
  struct Entry {
    std::int64_t time;
    std::uint64_t key;
    std::uint32_t node;
    bool operator>(const Entry& o) const { return time != o.time ? time > o.time : key > o.key; }
    bool operator<(const Entry& o) const { return o > *this; }
  };

  static constexpr int kSlotBits = 12;
  static constexpr int kSlots = 1 << kSlotBits;
  static constexpr int kShift0 = 10;                   // a slot of wheel 0 is 1.024 ns
  static constexpr int kShift1 = kShift0 + kSlotBits;  // a slot of wheel 1 is 4.19 us
  static constexpr int kShift2 = kShift1 + kSlotBits;  // both wheels together cover 17.2 ms
  static constexpr std::uint32_t kNone = 0xffffffff;
  static constexpr int kSerialBits = 40;
  static constexpr std::uint64_t kAboveAllKeys = ~std::uint64_t{0};

  struct Wheel {
    std::array<std::uint32_t, kSlots> head;
    std::array<std::uint64_t, kSlots / 64> occupied{};
    std::uint64_t summary = 0;
    Wheel() { head.fill(kNone); }
    /// The first occupied slot, or -1.
    int first() const {
      if (summary == 0) return -1;
      const int word = std::countr_zero(summary);
      return word * 64 + std::countr_zero(occupied[static_cast<std::size_t>(word)]);
    }
    void mark(int slot) {
      occupied[static_cast<std::size_t>(slot >> 6)] |= std::uint64_t{1} << (slot & 63);
      summary |= std::uint64_t{1} << (slot >> 6);
    }
    void clear(int slot) {
      auto& word = occupied[static_cast<std::size_t>(slot >> 6)];
      word &= ~(std::uint64_t{1} << (slot & 63));
      if (word == 0) summary &= ~(std::uint64_t{1} << (slot >> 6));
    }
  };

  template <class T>
  static std::uint64_t pack(T value) {
    static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>, "an event's argument is one plain word");
    std::uint64_t word = 0;
    std::memcpy(&word, &value, sizeof value);
    return word;
  }
  template <class T>
  static T unpack(std::uint64_t word) {
    T value;
    std::memcpy(static_cast<void*>(&value), &word, sizeof value);
    return value;
  }

  template <auto Handler, class Target, class... Args>
  static void invoke(void* target, Words words) {
    auto call = [&]<std::size_t... I>(std::index_sequence<I...>) {
      (static_cast<Target*>(target)->*Handler)(unpack<Args>(words[I])...);
    };
    call(std::index_sequence_for<Args...>{});
  }

  // Here, to become part of its callers: nearly all events take its short path.
  EventId schedule(Time when, Lane lane, Thunk thunk, void* target, const Words& words) {
    if (when < now_) [[unlikely]]
      refuse_past(when, lane);
    if (free_ == kNone) [[unlikely]]
      grow();
    const std::uint32_t index = free_;
    Node& node = nodes_[index];
    free_ = node.next;
    node.time = when.ps();
    const std::uint64_t lane_rank = order_.ties == TieOrder::fifo ? lane.index : rank(lane.index, when.ps());
    node.key = lane_rank << kSerialBits | lane_serials_[lane.index]++;
    node.thunk = thunk;
    node.target = target;
    node.words = words;
    ++pending_;
    const std::int64_t slot = when.ps() >> kShift0;
    if (slot > cursor_ && static_cast<std::uint64_t>(slot ^ cursor_) < kSlots) [[likely]] {
      // later in the present turn of wheel 0
      link(wheel0_, static_cast<int>(slot & (kSlots - 1)), index, State::wheel0);
    } else {
      file(index, slot);
    }
    return {index, node.generation};
  }
  void link(Wheel& wheel, int slot, std::uint32_t index, State state) {
    Node& node = nodes_[index];
    auto& head = wheel.head[static_cast<std::size_t>(slot)];
    node.state = state;
    node.slot = static_cast<std::uint16_t>(slot);
    node.previous = kNone;
    node.next = head;
    if (head != kNone) {
      nodes_[head].previous = index;
    } else {
      wheel.mark(slot);
    }
    head = index;
  }

  std::uint32_t rank(std::uint32_t lane, std::int64_t time) const;
  void grow();
  void file(std::uint32_t index, std::int64_t slot);
  void unlink(Wheel& wheel, std::uint32_t index);
  void release(std::uint32_t index);
  void execute(std::uint32_t index);
  bool step(std::int64_t limit);
  void sort_open();
  bool open_next_slot(std::int64_t limit);
  const Entry* peek(std::int64_t limit);
  [[noreturn]] void refuse_past(Time when, Lane lane) const;

  ScheduleOrder order_;
  Time now_;
  std::uint64_t highest_key_ = 0;  // of the events executed at now_, or above all keys when no more can come before
  std::uint64_t last_key_ = 0;     // of the event executed last
  std::int64_t cursor_ = 0;        // absolute number of the open slot of wheel 0
  std::vector<Node> nodes_;
  std::uint32_t free_ = kNone;
  Wheel wheel0_;
  Wheel wheel1_;
  std::vector<Entry> open_;  // the open slot, sorted so that the next event is at the back
  std::vector<Entry> late_;  // heap of what was scheduled into the open slot after it was sorted
  std::vector<Entry> far_;   // heap of what lies beyond wheel 1
  std::vector<std::uint64_t> lane_serials_;
  std::vector<std::string> lane_names_;
  std::vector<std::coroutine_handle<>> ready_;
  std::size_t ready_next_ = 0;
  std::size_t pending_ = 0;
  std::uint64_t executed_ = 0;
  bool stopped_ = false;
};

}  // namespace racksim::sim
