// One line that tells how far a long command is, on standard error. On a terminal it is written over and over, and wiped
// at the end, so that it leaves no trace in front of the result. On a pipe or in a file, or where NO_COLOR is set or the
// terminal is a dumb one, they are plain lines, a few seconds apart. RACKSIM_PROGRESS=none has none, =lines plain ones.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <ostream>
#include <string>
#include <thread>

namespace racksim::tools {

/// How it is shown.
enum class ProgressForm { none, rewritten, lines };

/// As the environment and what standard error is have it.
ProgressForm progress_form();

/// ", about 12 s left" where a share of the work was done in so many seconds; empty where that says too little.
std::string time_left(double seconds, double done);
/// The same of `done` pieces of `all`.
inline std::string time_left(double seconds, std::uint64_t done, std::uint64_t all) {
  return time_left(seconds, all > 0 ? static_cast<double>(done) / static_cast<double>(all) : 0);
}

class ProgressLine {
 public:
  /// Who ends sooner has no need of it.
  static constexpr std::chrono::milliseconds kPatience{2000};
  static constexpr std::chrono::milliseconds kBetweenTexts{100}, kBetweenLines{5000};

  /// Shows nothing unless it is `wanted`, and nothing before `patience` is over.
  ProgressLine(std::ostream& err, bool wanted, std::chrono::milliseconds patience = kPatience)
      : ProgressLine(err, wanted ? progress_form() : ProgressForm::none, patience) {}
  ProgressLine(std::ostream& err, ProgressForm form, std::chrono::milliseconds patience)
      : err_(err), form_(form), next_(begin_ + patience) {}
  ~ProgressLine() {
    if (shown_ && form_ == ProgressForm::rewritten) err_ << kWipe << std::flush;
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Whether somebody can see it.
  bool visible() const { return form_ != ProgressForm::none; }

  /// Shows what `text` returns, given the seconds since the beginning, unless the last time was just now.
  template <class Text>
  void show(const Text& text) {
    const auto now = Clock::now();
    if (!visible() || now < next_) return;
    const bool rewritten = form_ == ProgressForm::rewritten;
    next_ = now + (rewritten ? kBetweenTexts : kBetweenLines);
    shown_ = true;
    const std::string shown = text(std::chrono::duration<double>(now - begin_).count());
    err_ << (rewritten ? kWipe + shown : shown + '\n') << std::flush;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static inline const std::string kWipe = "\r\033[K";
  std::ostream& err_;
  ProgressForm form_;
  bool shown_ = false;
  Clock::time_point begin_ = Clock::now(), next_;
};

/// Shows a line from a thread of its own, also while the command tells nothing: in a warm-up, or when oracles judge. For
/// a command that does not fork. Nothing else may be written to the stream while it lives.
class ProgressTicker {
 public:
  using Text = std::function<std::string(double seconds)>;

  explicit ProgressTicker(ProgressLine& line);
  ~ProgressTicker();
  ProgressTicker(const ProgressTicker&) = delete;
  ProgressTicker& operator=(const ProgressTicker&) = delete;

  /// What is shown from now on. It is called in the other thread.
  void tell(Text text);

 private:
  void tick();

  ProgressLine& line_;
  std::mutex mutex_;
  std::condition_variable ends_;
  bool over_ = false;
  Text text_;
  std::thread thread_;
};

}  // namespace racksim::tools
