// See progress_line.hpp.
#include "tools/processes/progress_line.hpp"

#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <utility>

namespace racksim::tools {
namespace {

std::string_view environment_value(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

ProgressForm progress_form() {
  const auto asked = environment_value("RACKSIM_PROGRESS");
  if (asked == "none") return ProgressForm::none;
  const bool plain = asked == "lines" || !environment_value("NO_COLOR").empty() || environment_value("TERM") == "dumb";
  return plain || isatty(STDERR_FILENO) == 0 ? ProgressForm::lines : ProgressForm::rewritten;
}

std::string time_left(double seconds, double done) {
  // A hundredth of the work tells little of the rest.
  if (!(done >= 0.01) || done >= 1) return "";
  const double left = seconds * (1 - done) / done;
  if (left < 1) return "";
  if (left < 90) return fmt::format(", about {:.0f} s left", left);
  if (left < 90 * 60) return fmt::format(", about {:.0f} min left", left / 60);
  return fmt::format(", about {:.1f} h left", left / 3600);
}

ProgressTicker::ProgressTicker(ProgressLine& line) : line_(line) {
  // Signals are the main thread's: what waits there is to be interrupted by them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { tick(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ProgressTicker::~ProgressTicker() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  ends_.notify_one();
  thread_.join();
}

void ProgressTicker::tell(Text text) {
  const std::lock_guard lock(mutex_);
  text_ = std::move(text);
}

void ProgressTicker::tick() {
  constexpr std::chrono::milliseconds kTick{200};
  std::unique_lock lock(mutex_);
  while (!ends_.wait_for(lock, kTick, [this] { return over_; })) {
    if (text_) line_.show(text_);
  }
}

}  // namespace racksim::tools
