// What is under way about lines at a node, and the queues of threads that wait for a line's local latch.
//
// A protocol's `Work` has a constructor from the calendar, `Frame* frame`, `std::deque<LatchWaiter*> waiters` and
// `void begin_anew(Frame&)`, which makes it work about a line of which nothing is under way; its frame has
// `bool attended`, whether something is.
#pragma once

#include <algorithm>
#include <memory>

#include "protocols/line_cache/line_map.hpp"
#include "protocols/line_cache/local_latch.hpp"
#include "sim/kernel/task.hpp"

namespace racksim::line_cache {

template <class Frame, class Work>
class LineWorks {
 public:
  explicit LineWorks(sim::Calendar& calendar) : calendar_(calendar) {}

  /// The work about a frame's line; begins one if nothing is under way.
  Work& of(Frame& frame) {
    auto& work = works_[frame.line];
    if (!frame.attended) {
      if (!work) work = std::make_unique<Work>(calendar_);
      work->begin_anew(frame);
      frame.attended = true;
    }
    return *work;
  }
  /// Null if nothing is under way.
  Work* find(sim::Key line) {
    const auto found = works_.find(line);
    return found == works_.end() ? nullptr : found->second.get();
  }
  /// Nothing is under way any more.
  void end(Frame& frame) {
    works_.erase(works_.find(frame.line));
    frame.attended = false;
  }
  /// Waits in the queue for the frame's latch. Returns whether it was granted exclusively.
  sim::Task<bool> wait_for_latch(Frame& frame, bool write) {
    Spinning spinning(*this, frame, write);
    co_await spinning.waiter.granted.wait();
    co_return spinning.waiter.exclusive;
  }

  bool empty() const { return works_.empty(); }
  void clear() { works_.clear(); }
  /// Pairs of a line and a pointer to the work about it, by line.
  auto begin() { return works_.begin(); }
  auto end() { return works_.end(); }
  auto begin() const { return works_.begin(); }
  auto end() const { return works_.end(); }

 private:
  /// A thread that waits. Takes itself out of the line's queue when its task dies.
  struct Spinning {
    Spinning(LineWorks& all, Frame& frame, bool write) : waiter(all.calendar_), works(all), line(frame.line) {
      waiter.write = write;
      works.of(frame).waiters.push_back(&waiter);
    }
    ~Spinning() {
      if (Work* work = works.find(line)) std::erase(work->waiters, &waiter);
    }
    Spinning(const Spinning&) = delete;
    Spinning& operator=(const Spinning&) = delete;
    LatchWaiter waiter;
    LineWorks& works;
    sim::Key line;
  };

  sim::Calendar& calendar_;
  LineMap<std::unique_ptr<Work>> works_;
};

}  // namespace racksim::line_cache
