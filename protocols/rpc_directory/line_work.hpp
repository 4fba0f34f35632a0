// What is under way about a line at one node: the request of a thread for it, messages that wait for it to be there or
// free, and threads that wait for its local latch. Exists only as long as there is something.
#pragma once

#include <deque>
#include <vector>

#include "protocols/line_cache/local_latch.hpp"
#include "protocols/rpc_directory/frame.hpp"
#include "protocols/rpc_directory/messages.hpp"
#include "sim/kernel/waiting.hpp"

namespace racksim::rpc_directory {

using line_cache::LatchWaiter;

struct LineWork {
  explicit LineWork(sim::Calendar& calendar) : acquired(calendar) {}

  Frame* frame = nullptr;
  // The request: by the thread that has the local latch exclusively.
  unsigned thread = 0;
  sim::OperationId operation = 0;
  std::uint64_t request = 0;  ///< its number
  LineData page;              ///< what has come
  sim::Signal acquired;

  std::vector<Message> deferred{};  ///< by others, until the copy is there and free
  std::deque<LatchWaiter*> waiters{};

  void begin_acquisition(unsigned by, sim::OperationId cause) {
    thread = by;
    operation = cause;
  }
  /// For a line of which nothing is under way. Nobody waits any more.
  void begin_anew(Frame& of) {
    frame = &of;
    thread = 0;
    operation = 0;
    request = 0;
    page.clear();
    deferred.clear();
    waiters.clear();
  }
};

}  // namespace racksim::rpc_directory
