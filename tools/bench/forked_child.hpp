// Work in a process of its own: for what a process can do only once (a SimGrid engine), and for its peak of memory.
#pragma once

#include <cstdint>
#include <functional>

namespace racksim::tools {

/// A forked child that answers requests: each `ask` has it call its handler once and waits for the number that returns.
class ForkedChild {
 public:
  /// Makes the child; `serve` runs in it and is given a function that blocks until the next request, with the last
  /// request's answer (the first call's argument goes nowhere), and returns false when there will be no more. What is
  /// buffered on standard output must have been flushed. Throws std::runtime_error when there is no process to be had.
  using NextRequest = std::function<bool(double answer)>;
  explicit ForkedChild(const std::function<void(const NextRequest&)>& serve);
  ~ForkedChild();
  ForkedChild(const ForkedChild&) = delete;
  ForkedChild& operator=(const ForkedChild&) = delete;

  /// Throws std::runtime_error, with what the child threw, when it has died; Interrupted (interruption.hpp) when the
  /// program is asked to stop as it waits.
  double ask();

  /// Ends the child and returns the most memory it ever had in RAM, in bytes. It begins with its parent's.
  std::uint64_t finish();

 private:
  int socket_ = -1;
  int pid_ = -1;
};

}  // namespace racksim::tools
