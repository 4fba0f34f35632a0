// Room and time of a log in non-volatile memory. See nvram.hpp.
#include "models/host/nvram.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

namespace racksim::models {

namespace {

constexpr std::uint64_t kPsPerSecond = 1'000'000'000'000;
__extension__ using Wide = unsigned __int128;  // bytes times picoseconds

}  // namespace

void NvramOptions::declare(sim::Parameters& p) {
  using namespace sim::literals;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 44;
  p.size("nvram.bytes", bytes, 1, kMost, "capacity of a node's non-volatile memory for its log")
      .estimate("an NVDIMM")
      .neutral(bytes);
  p.length("nvram.latency", latency, 0_ns, 1_s, "of a write to it: store and flush")
      .estimate("persistent memory on the memory bus")
      .varied({0_ns, 2_us});
  p.rate("nvram.bandwidth", bandwidth, 1'000'000, 10'000'000'000'000, "at which it takes in what is written")
      .estimate("2 GB/s, one thread")
      .neutral(bandwidth);
  p.rate("nvram.spill", spill, 1'000'000, 10'000'000'000'000, "at which a disk takes it over in the background")
      .estimate("500 MB/s, a SATA SSD")
      .neutral(spill);
}

sim::Duration Nvram::time_for(std::uint64_t bytes, std::uint64_t bits_per_s) {
  const Wide ps = (Wide{bytes} * 8 * kPsPerSecond + (bits_per_s - 1)) / bits_per_s;
  return sim::Duration::from_ps(static_cast<std::int64_t>(ps));
}

void Nvram::spill_until(sim::Time instant) {
  if (instant <= spilled_until_) return;
  const auto ps = static_cast<std::uint64_t>((instant - spilled_until_).ps());
  const auto gone = static_cast<std::uint64_t>(std::min(Wide{held_}, Wide{ps} * options_.spill / (8 * kPsPerSecond)));
  held_ -= gone;
  // What is left of a byte is not lost: the clock stands at the instant at which the last one was gone.
  spilled_until_ = held_ == 0 ? instant : spilled_until_ + time_for(gone, options_.spill);
}

std::uint64_t Nvram::held(sim::Time now) const {
  Nvram then = *this;
  then.spill_until(now);
  return then.held_;
}

sim::Time Nvram::append(sim::Time now, std::uint64_t bytes) {
  if (bytes > options_.bytes) {
    throw std::logic_error(fmt::format("an entry of {} bytes for a device of {}", bytes, options_.bytes));
  }
  sim::Time begin = std::max(now, free_at_);
  spill_until(begin);
  if (held_ + bytes > options_.bytes) {
    ++stalls_;
    begin = std::max(begin, spilled_until_ + time_for(held_ + bytes - options_.bytes, options_.spill));
    spill_until(begin);
  }
  held_ += bytes;
  free_at_ = begin + time_for(bytes, options_.bandwidth);
  return free_at_ + options_.latency;
}

void Nvram::power_off(sim::Time now) {
  spill_until(now);
}

void Nvram::power_on(sim::Time now) {
  spilled_until_ = std::max(spilled_until_, now);
  free_at_ = now;
}

}  // namespace racksim::models
