// A log's place in non-volatile memory: how long an entry takes to be durable, and when there is room for it.
//
// Entries are written one after the other: an entry is durable `latency` after its last byte has been taken in, at
// `bandwidth`. In the background the content is spilled to a disk, at `spill`, as long as there is some: what has been
// spilled takes no room any more. An entry for which there is no room waits until there is, and so does whoever writes
// it. What is durable survives a crash, in either place; without power nothing is spilled. (GAM §5: "we rely on a NVRAM
// to accommodate the in-memory log, and asynchronously spill the content to SSDs/hard disks".)
#pragma once

#include <cstdint>

#include "sim/kernel/time.hpp"
#include "sim/options/parameters.hpp"

namespace racksim::models {

struct NvramOptions {
  std::uint64_t bytes = std::uint64_t{1} << 30;             ///< capacity
  sim::Duration latency = sim::Duration::from_ps(100'000);  ///< of a write, beside its bytes
  std::uint64_t bandwidth = 16'000'000'000;                 ///< bit/s that it takes in, and gives when it is read
  std::uint64_t spill = 4'000'000'000;                      ///< bit/s that go to the disk in the background

  /// As `nvram.` options of whoever has one.
  void declare(sim::Parameters& p);
};

class Nvram {
 public:
  explicit Nvram(const NvramOptions& options) : options_(options) {}

  /// Writes an entry. Returns the instant at which it is durable. Throws std::logic_error for one that is larger than
  /// the device.
  sim::Time append(sim::Time now, std::uint64_t bytes);
  /// How long it takes to read so much of what was written, wherever it is.
  sim::Duration read(std::uint64_t bytes) const { return options_.latency + time_for(bytes, options_.bandwidth); }
  /// Bytes in the device that have not been spilled, of entries that were taken in by then.
  std::uint64_t held(sim::Time now) const;
  /// Instants at which an entry had to wait for room so far.
  std::uint64_t stalls() const { return stalls_; }

  void power_off(sim::Time now);
  void power_on(sim::Time now);

 private:
  /// Rounded up to whole picoseconds.
  static sim::Duration time_for(std::uint64_t bytes, std::uint64_t bits_per_s);
  void spill_until(sim::Time instant);

  NvramOptions options_;
  std::uint64_t held_ = 0;                 // at `spilled_until_`
  sim::Time spilled_until_ = sim::Time{};  // as far as `held_` counts
  sim::Time free_at_ = sim::Time{};        // the writer's end of the device
  std::uint64_t stalls_ = 0;
};

}  // namespace racksim::models
