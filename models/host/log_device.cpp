// Syncs, one after the other. See log_device.hpp.
#include "models/host/log_device.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace racksim::models {

void LogOptions::declare(sim::Parameters& p) {
  using namespace sim::literals;
  p.length("log.sync", sync, 0_ns, 1_s, "of a sync of a node's log, beside the bytes that it writes (assumed)")
      .estimate("a flash disk")
      .neutral(sync);
  p.rate("log.bandwidth", bandwidth, 1'000'000, 10'000'000'000'000, "at which a sync of the log writes (assumed)")
      .estimate("500 MB/s, a SATA SSD")
      .neutral(bandwidth);
}

sim::Duration LogOptions::time_for(std::uint64_t bytes) const {
  constexpr std::uint64_t kPsPerSecond = 1'000'000'000'000;
  __extension__ using Wide = unsigned __int128;  // bytes times picoseconds
  return sim::Duration::from_ps(
      static_cast<std::int64_t>((Wide{bytes} * 8 * kPsPerSecond + (bandwidth - 1)) / bandwidth));
}

LogCounters::LogCounters(sim::Metrics& metrics)
    : syncs(metrics.counter("log.syncs", "syncs", "of nodes' logs")),
      entries(metrics.counter("log.entries", "entries", "that these have made durable")),
      bytes(metrics.counter("log.bytes", "bytes", "that these have written")) {
  metrics.quotient("log.entries_per_sync", "entries", "that a sync of a log has made durable", {&entries}, {&syncs},
                   sim::Shown::always);
}

LogDevice::LogDevice(sim::Calendar& calendar, const std::string& name, const LogOptions& options, LogCounters* counters)
    : calendar_(calendar), lane_(calendar.add_lane(name)), options_(options), counters_(counters), ended_(calendar) {}

LogDevice::Entry LogDevice::append(std::uint64_t bytes) {
  waiting_bytes_ += bytes;
  return ++appended_;
}

void LogDevice::force(Entry entry) {
  if (entry == 0 || entry > appended_) {
    throw std::logic_error(fmt::format("entry {} of a log that has {}", entry, appended_));
  }
  forced_ = std::max(forced_, entry);
  if (!syncing_ && forced_ > durable_) begin();
}

sim::Task<void> LogDevice::durable(Entry entry) {
  force(entry);
  while (!is_durable(entry)) co_await ended_.wait();
}

void LogDevice::begin() {
  syncing_ = true;
  covered_ = appended_;
  written_bytes_ = std::exchange(waiting_bytes_, 0);
  end_event_ =
      calendar_.at<&LogDevice::end>(calendar_.now() + options_.sync + options_.time_for(written_bytes_), lane_, *this);
}

void LogDevice::end() {
  if (counters_ != nullptr) {
    ++counters_->syncs.value;
    counters_->entries.value += covered_ - durable_;
    counters_->bytes.value += written_bytes_;
  }
  syncing_ = false;
  durable_ = covered_;
  bytes_ += written_bytes_;
  ++syncs_;
  if (forced_ > durable_) begin();
  ended_.notify_all();
}

}  // namespace racksim::models
