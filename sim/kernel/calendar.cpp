// The calendar's wheels, heap and order. See calendar.hpp.
#include "sim/kernel/calendar.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "sim/kernel/invariant.hpp"

namespace racksim::sim {

Calendar::Calendar(ScheduleOrder order, Time start) : order_(order), now_(start), cursor_(start.ps() >> kShift0) {}

Lane Calendar::add_lane(std::string name) {
  if (lane_names_.size() >= (std::size_t{1} << 24)) throw std::length_error("a calendar holds at most 2^24 lanes");
  lane_names_.push_back(std::move(name));
  lane_serials_.push_back(0);
  return Lane{static_cast<std::uint32_t>(lane_names_.size() - 1)};
}

std::uint32_t Calendar::rank(std::uint32_t lane, std::int64_t time) const {
  switch (order_.ties) {
    case TieOrder::fifo:
      return lane;
    case TieOrder::lifo:
      return 0xffffff - lane;
    case TieOrder::shuffle:
      break;
  }
  // A Feistel network is a permutation of the 24-bit lanes whatever its round function, so no two lanes ever tie.
  std::uint32_t left = lane >> 12, right = lane & 0xfff;
  std::uint64_t key = order_.seed ^ (static_cast<std::uint64_t>(time) * 0x9e3779b97f4a7c15ull);
  for (int round = 0; round < 4; ++round) {
    key = (key ^ right) * 0xbf58476d1ce4e5b9ull;
    key ^= key >> 29;
    const auto mixed = static_cast<std::uint32_t>(key >> 40) & 0xfff;
    left ^= mixed;
    std::swap(left, right);
  }
  return left << 12 | right;
}

inline void Calendar::release(std::uint32_t index) {
  Node& node = nodes_[index];
  RACKSIM_INVARIANT(node.state != State::free, "an event is freed once");
  node.state = State::free;
  ++node.generation;
  node.next = free_;
  free_ = index;
}

inline void Calendar::execute(std::uint32_t index) {
  // The handler may schedule, which may move the nodes: copy what is needed and free the node first.
  const Node& node = nodes_[index];
  const Thunk thunk = node.thunk;
  void* const target = node.target;
  const Words words = node.words;
  RACKSIM_INVARIANT(node.time >= now_.ps(), "time does not go back");
  RACKSIM_INVARIANT((open_.empty() || Entry{node.time, node.key, index} < open_.back()) &&
                        (late_.empty() || Entry{node.time, node.key, index} < late_.front()),
                    "events are executed in the order of time, lane and serial");
  RACKSIM_INVARIANT(pending_ > 0, "an event that is executed was pending");
  highest_key_ = node.time == now_.ps() ? std::max(highest_key_, node.key) : node.key;
  last_key_ = node.key;
  now_ = Time::from_ps(node.time);
  release(index);
  --pending_;
  ++executed_;
  thunk(target, words);
  if (!ready_.empty()) drain_ready();
}

// Adds a free node.
void Calendar::grow() {
  free_ = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({});
  nodes_.back().next = kNone;
}

// Puts an event where it belongs that is not in the present turn of wheel 0.
void Calendar::file(std::uint32_t index, std::int64_t slot) {
  Node& node = nodes_[index];
  if (slot <= cursor_) {
    node.state = State::sorted;
    late_.push_back({node.time, node.key, index});
    std::push_heap(late_.begin(), late_.end(), std::greater<>{});
  } else if (node.time >> kShift2 == cursor_ >> (2 * kSlotBits)) {
    link(wheel1_, static_cast<int>(node.time >> kShift1 & (kSlots - 1)), index, State::wheel1);
  } else {
    node.state = State::sorted;
    far_.push_back({node.time, node.key, index});
    std::push_heap(far_.begin(), far_.end(), std::greater<>{});
  }
}

void Calendar::unlink(Wheel& wheel, std::uint32_t index) {
  const Node& node = nodes_[index];
  if (node.next != kNone) nodes_[node.next].previous = node.previous;
  if (node.previous != kNone) {
    nodes_[node.previous].next = node.next;
  } else {
    wheel.head[node.slot] = node.next;
    if (node.next == kNone) wheel.clear(node.slot);
  }
}

bool Calendar::is_pending(EventId id) const {
  if (id.node >= nodes_.size()) return false;
  const Node& node = nodes_[id.node];
  return node.generation == id.generation && node.state != State::free && node.state != State::cancelled;
}

bool Calendar::cancel(EventId id) {
  if (!is_pending(id)) return false;
  Node& node = nodes_[id.node];
  --pending_;
  switch (node.state) {
    case State::wheel0:
      unlink(wheel0_, id.node);
      release(id.node);
      break;
    case State::wheel1:
      unlink(wheel1_, id.node);
      release(id.node);
      break;
    default:
      // The sorted structures are not searched: the entry is dropped when its turn comes.
      node.state = State::cancelled;
      break;
  }
  return true;
}

// Slots hold few events, and those of one instant were mostly linked in the reverse of their order: insertion is quick.
inline void Calendar::sort_open() {
  constexpr std::size_t kFew = 16;
  if (open_.size() > kFew) return std::sort(open_.begin(), open_.end(), std::greater<>{});
  for (std::size_t i = 1; i < open_.size(); ++i) {
    const Entry entry = open_[i];
    std::size_t at = i;
    for (; at > 0 && entry > open_[at - 1]; --at) open_[at] = open_[at - 1];
    open_[at] = entry;
  }
}

// Sorts the next occupied slot into `open_`, refilling wheel 0 from wheel 1 and wheel 1 from the heap on the way. Slots
// that begin after `limit` stay closed: what is scheduled before them later then still finds its place in a wheel.
bool Calendar::open_next_slot(std::int64_t limit) {
  for (;;) {
    if (const int slot = wheel0_.first(); slot >= 0) {
      const std::int64_t next = (cursor_ >> kSlotBits << kSlotBits) | slot;
      if (next << kShift0 > limit) return false;
      cursor_ = next;
      auto& head = wheel0_.head[static_cast<std::size_t>(slot)];
      RACKSIM_INVARIANT(head != kNone, "a slot whose bit is set holds an event");
      for (std::uint32_t i = head; i != kNone; i = nodes_[i].next) {
        RACKSIM_INVARIANT(nodes_[i].time >> kShift0 == cursor_, "an event in a slot of wheel 0 is due in that slot");
        nodes_[i].state = State::sorted;
        open_.push_back({nodes_[i].time, nodes_[i].key, i});
      }
      head = kNone;
      wheel0_.clear(slot);
      sort_open();
      return true;
    }
    if (const int slot = wheel1_.first(); slot >= 0) {
      const std::int64_t window = (cursor_ >> (2 * kSlotBits) << kSlotBits) | slot;
      if (window << kShift1 > limit) return false;
      cursor_ = window << kSlotBits;
      auto& head = wheel1_.head[static_cast<std::size_t>(slot)];
      std::uint32_t index = head;
      RACKSIM_INVARIANT(head != kNone, "a slot whose bit is set holds an event");
      head = kNone;
      wheel1_.clear(slot);
      while (index != kNone) {
        RACKSIM_INVARIANT(nodes_[index].time >> kShift1 == window, "an event in a slot of wheel 1 is due in that slot");
        const std::uint32_t next = nodes_[index].next;
        link(wheel0_, static_cast<int>(nodes_[index].time >> kShift0 & (kSlots - 1)), index, State::wheel0);
        index = next;
      }
      continue;
    }
    if (far_.empty() || far_.front().time > limit) return false;
    const std::int64_t window = far_.front().time >> kShift2;
    cursor_ = window << (2 * kSlotBits);
    while (!far_.empty() && far_.front().time >> kShift2 == window) {
      const std::uint32_t index = far_.front().node;
      std::pop_heap(far_.begin(), far_.end(), std::greater<>{});
      far_.pop_back();
      if (nodes_[index].state == State::cancelled) {
        release(index);
      } else {
        link(wheel1_, static_cast<int>(nodes_[index].time >> kShift1 & (kSlots - 1)), index, State::wheel1);
      }
    }
  }
}

// The next entry, at the back of `open_` or at the front of `late_`; null when nothing is due by `limit`. An entry
// after `limit` may be returned when its slot is open already.
const Calendar::Entry* Calendar::peek(std::int64_t limit) {
  for (;;) {
    while (!open_.empty() && nodes_[open_.back().node].state == State::cancelled) {
      release(open_.back().node);
      open_.pop_back();
    }
    while (!late_.empty() && nodes_[late_.front().node].state == State::cancelled) {
      release(late_.front().node);
      std::pop_heap(late_.begin(), late_.end(), std::greater<>{});
      late_.pop_back();
    }
    // The second of two events may still be in the wheel though its slot is open.
    if (open_.empty() && !late_.empty() && wheel0_.first() == static_cast<int>(cursor_ & (kSlots - 1))) {
      open_next_slot(limit);
      continue;
    }
    if (!open_.empty() && (late_.empty() || late_.front() > open_.back())) return &open_.back();
    if (!late_.empty()) return &late_.front();
    if (!open_next_slot(limit)) return nullptr;
  }
}

std::optional<Time> Calendar::next_time() {
  const Entry* entry = peek(Time::max().ps());
  if (entry == nullptr) return std::nullopt;
  return Time::from_ps(entry->time);
}

inline bool Calendar::step(std::int64_t limit) {
  const auto none = [&] {
    if (limit == now_.ps()) highest_key_ = kAboveAllKeys;
    return false;
  };
  if (late_.empty()) {
    // The usual cases: one or two events in the next slot, which need no sorting, or one of a slot that is sorted.
    if (!open_.empty()) {
      const Entry entry = open_.back();
      if (entry.time > limit) return none();
      if (nodes_[entry.node].state != State::cancelled) [[likely]] {
        open_.pop_back();
        execute(entry.node);
        return true;
      }
    } else if (const int slot = wheel0_.first(); slot >= 0) {
      auto& head = wheel0_.head[static_cast<std::size_t>(slot)];
      std::uint32_t index = head;
      const std::uint32_t other = nodes_[index].next;
      if (other == kNone) {
        if (nodes_[index].time > limit) return none();
        cursor_ = (cursor_ >> kSlotBits << kSlotBits) | slot;
        head = kNone;
        wheel0_.clear(slot);
        execute(index);
        return true;
      }
      if (nodes_[other].next == kNone) {
        std::uint32_t later = other;
        if (nodes_[other].time < nodes_[index].time ||
            (nodes_[other].time == nodes_[index].time && nodes_[other].key < nodes_[index].key)) {
          std::swap(index, later);
        }
        if (nodes_[index].time > limit) return none();
        cursor_ = (cursor_ >> kSlotBits << kSlotBits) | slot;
        head = later;  // stays in the wheel: what is scheduled into its slot meanwhile goes to late_
        nodes_[later].next = nodes_[later].previous = kNone;
        execute(index);
        return true;
      }
    }
  }
  const Entry* next = peek(limit);
  if (next == nullptr || next->time > limit) return none();
  const std::uint32_t index = next->node;
  if (!open_.empty() && next == &open_.back()) {
    open_.pop_back();
  } else {
    std::pop_heap(late_.begin(), late_.end(), std::greater<>{});
    late_.pop_back();
  }
  execute(index);
  return true;
}

bool Calendar::run_one(Time limit) {
  return step(limit.ps());
}

void Calendar::run_until(Time limit) {
  stopped_ = false;
  while (!stopped_ && step(limit.ps())) {
  }
  if (stopped_ || limit == Time::max()) return;
  now_ = limit;
  highest_key_ = kAboveAllKeys;
}

void Calendar::skip_to(Time when) {
  const std::optional<Time> next = next_time();
  if (when < now_ || (next && *next < when)) {
    throw std::logic_error(fmt::format("the clock shows {} ps and cannot skip to {} ps{}", now_.ps(), when.ps(),
                                       next ? fmt::format(": an event is due at {} ps", next->ps()) : ""));
  }
  now_ = when;
  highest_key_ = 0;
}

void Calendar::drain_ready() {
  if (ready_next_ != 0) return;  // already draining further up the stack
  while (ready_next_ < ready_.size()) {
    const auto task = ready_[ready_next_++];
    RACKSIM_INVARIANT(!task || !task.done(), "nobody resumes a task that has finished");
    if (task) task.resume();
  }
  ready_.clear();
  ready_next_ = 0;
}

void Calendar::forget(std::coroutine_handle<> task) {
  for (std::size_t i = ready_next_; i < ready_.size(); ++i) {
    if (ready_[i] == task) ready_[i] = nullptr;
  }
}

std::string Calendar::last_event() const {
  if (executed_ == 0) return "none";
  const auto by_rank = [&](std::uint32_t lane) { return rank(lane, now_.ps()) == last_key_ >> kSerialBits; };
  std::uint32_t lane = 0;
  while (lane + 1 < lane_names_.size() && !by_rank(lane)) ++lane;
  return fmt::format("number {} at {:.3f} ns, on lane \"{}\"", executed_, (now_ - Time{}).ns(), lane_names_[lane]);
}

void Calendar::refuse_past(Time when, Lane lane) const {
  throw std::logic_error(fmt::format("an event of lane '{}' is scheduled at {} ps, but the clock shows {} ps",
                                     lane_names_[lane.index], when.ps(), now_.ps()));
}

}  // namespace racksim::sim
