// See run_progress.hpp.
#include "tools/recording/run_progress.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tools/processes/progress_line.hpp"

namespace racksim::tools {

double share_done(double now, double begun, double length) {
  const double whole = begun + length;
  return whole > 0 ? std::clamp(now / whole, 0.0, 1.0) : 1;
}

std::string progress_text(const RunProgress& progress, double seconds) {
  using Stage = RunProgress::Stage;
  if (progress.stage == Stage::filling) return "filling caches before the run";
  if (progress.stage == Stage::judging) return fmt::format("judging {} operations", progress.operations);
  const char* phase = progress.stage == Stage::warm_up ? "warm-up: " : progress.stage == Stage::drain ? "drain: " : "";
  std::string text =
      fmt::format("{}{:.3f} ms simulated, {} operations", phase, progress.now.seconds() * 1e3, progress.operations);
  if (seconds > 0) text += fmt::format(", {:.0f}/s", static_cast<double>(progress.operations) / seconds);
  if (progress.done && progress.stage != Stage::drain) {
    text += fmt::format(", {:.0f} %{}", *progress.done * 100, time_left(seconds, *progress.done));
  }
  return text;
}

}  // namespace racksim::tools
