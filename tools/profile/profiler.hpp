// Where the time of a run goes. A timer interrupts the thread every two milliseconds; the innermost function on its stack
// that belongs to a part of the simulator (program_parts.hpp) tells what the processor did since the last interruption.
// The simulator's own code knows nothing of it: it costs nothing where nobody asks, and the run is the same where one does.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "tools/profile/program_parts.hpp"

namespace racksim::tools {

/// What a run has spent on the processor.
struct Profile {
  std::array<double, kParts> seconds{};  ///< by part
  std::uint64_t samples = 0;

  double total() const;
  double share(Part part) const { return seconds[static_cast<std::size_t>(part)] / total(); }
};

/// The stages of a run. Time of the run proper is told by part, that of the others as a whole.
enum class Stage : std::uint8_t { start, warm_up, run, end };

/// From now on it is this stage. Costs a store where nobody profiles.
void enter(Stage stage);

/// Profiles the thread that makes it, from the thread's start until `finish`. One at a time.
class Profiler {
 public:
  /// Throws std::runtime_error if the program has no symbols, SystemError if there is no timer.
  Profiler();
  ~Profiler();
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;

  /// Stops, and says what was found.
  Profile finish();

 private:
  struct Timer;
  std::unique_ptr<Timer> timer_;
};

}  // namespace racksim::tools
