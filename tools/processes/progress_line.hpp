// One line on the terminal that tells how far a long command is. It is written over and over, and wiped at the end, so
// that it leaves no trace in front of the result.
#pragma once

#include <unistd.h>

#include <chrono>
#include <ostream>

namespace racksim::tools {

class ProgressLine {
 public:
  /// Shows nothing unless it is `wanted` and standard error is a terminal, and nothing before `patience` is over.
  ProgressLine(std::ostream& err, bool wanted, std::chrono::milliseconds patience = {})
      : err_(err), visible_(wanted && isatty(STDERR_FILENO) != 0), next_(begin_ + patience) {}
  ~ProgressLine() {
    if (shown_) err_ << kWipe << std::flush;
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Whether somebody can see it.
  bool visible() const { return visible_; }

  /// Shows what `text` returns, given the seconds since the beginning, unless the last time was just now.
  template <class Text>
  void show(const Text& text) {
    const auto now = Clock::now();
    if (!visible_ || now < next_) return;
    next_ = now + std::chrono::milliseconds(100);
    shown_ = true;
    err_ << kWipe << text(std::chrono::duration<double>(now - begin_).count()) << std::flush;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr const char* kWipe = "\r\033[K";
  std::ostream& err_;
  bool visible_;
  bool shown_ = false;
  Clock::time_point begin_ = Clock::now(), next_;
};

}  // namespace racksim::tools
