// What is under way about lines at a node, and the queues of threads that wait for a line's local latch.
//
// A protocol's `Work` derives from LineWork; its `begin_anew` makes it work about a line of which nothing is under way.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "protocols/latched_memory/line_data.hpp"
#include "protocols/line_cache/line_map.hpp"
#include "protocols/line_cache/local_latch.hpp"
#include "sim/kernel/task.hpp"
#include "sim/kernel/waiting.hpp"

namespace racksim::line_cache {

/// What is under way about a line at one node: its acquisition by a thread, messages of others that wait until it is
/// there or free, and threads that wait for the local latch. Exists only as long as there is something.
template <class Frame, class Message>
struct LineWork {
  explicit LineWork(sim::Calendar& calendar) : acquired(calendar) {}

  Frame* frame = nullptr;
  // The acquisition: by the thread that has the local latch exclusively.
  unsigned thread = 0;
  sim::OperationId operation = 0;
  bool only_tries = false;           ///< it is a try-lock's: it ends with nothing where somebody uses the line
  bool refused = false;              ///< and has
  latched_memory::LineData fetched;  ///< what has come, from memory or another node
  sim::Signal acquired;

  std::vector<Message> deferred{};
  std::deque<LatchWaiter*> waiters{};

  void begin_acquisition(unsigned by, sim::OperationId cause, bool tries = false) {
    thread = by;
    operation = cause;
    only_tries = tries;
    refused = false;
  }
  /// The try-lock is over. To be called with the row that leaves the node with no more than it had, or less.
  void refuse() {
    refused = true;
    acquired.notify_all();
  }
  /// Nobody waits any more.
  void begin_anew(Frame& of) {
    frame = &of;
    begin_acquisition(0, 0);
    fetched.clear();
    deferred.clear();
    waiters.clear();
  }
};

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
