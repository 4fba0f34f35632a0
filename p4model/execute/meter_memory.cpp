// Token buckets and counts. See meter_memory.hpp.
#include "p4model/execute/meter_memory.hpp"

#include <fmt/core.h>

#include <stdexcept>

namespace racksim::p4 {

namespace {

__extension__ using WideTokens = unsigned __int128;
constexpr std::uint64_t kPicosecondsPerSecond = 1'000'000'000'000;

[[noreturn]] void refuse_index(std::string_view kind, const std::string& name, std::uint64_t index, std::size_t size) {
  throw std::runtime_error(fmt::format("{} '{}': index {} is outside its {} entries", kind, name, index, size));
}

}  // namespace

void MeterMemory::Bucket::fill(std::uint64_t rate, std::uint64_t burst, sim::Duration length) {
  const auto added = WideTokens{rate} * static_cast<std::uint64_t>(length.ps()) + fraction;
  const auto whole = WideTokens{tokens} + added / kPicosecondsPerSecond;
  if (whole >= burst) {  // a full bucket holds no part of a token more
    tokens = burst;
    fraction = 0;
    return;
  }
  tokens = static_cast<std::uint64_t>(whole);
  fraction = static_cast<std::uint64_t>(added % kPicosecondsPerSecond);
}

void MeterMemory::check(std::uint64_t index) const {
  if (index >= entries_.size()) refuse_index("meter", name_, index, entries_.size());
}

// RFC 2698, section 3.
Colour MeterMemory::execute(std::uint64_t index, std::uint64_t amount, Colour before, sim::Time now) {
  check(index);
  auto& entry = entries_[index];
  if (!entry.set) return before;
  if (now > entry.filled) {
    entry.committed.fill(entry.rates.committed, entry.rates.committed_burst, now - entry.filled);
    entry.peak.fill(entry.rates.peak, entry.rates.peak_burst, now - entry.filled);
    entry.filled = now;
  }
  if (before == Colour::red || entry.peak.tokens < amount) return Colour::red;
  entry.peak.tokens -= amount;
  if (before == Colour::yellow || entry.committed.tokens < amount) return Colour::yellow;
  entry.committed.tokens -= amount;
  return Colour::green;
}

void MeterMemory::check_rates(const std::string& name, const MeterRates& rates) {
  if (rates.committed_burst == 0 || rates.peak_burst == 0) {
    throw std::runtime_error(fmt::format("meter '{}': a burst of 0 lets no packet pass", name));
  }
  if (rates.peak < rates.committed) {
    throw std::runtime_error(fmt::format("meter '{}': the peak rate, {}, is below the committed one, {}", name,
                                         rates.peak, rates.committed));
  }
}

void MeterMemory::set(std::uint64_t index, const MeterRates& rates, sim::Time now) {
  check(index);
  check_rates(name_, rates);
  entries_[index] = {.rates = rates,
                     .committed = {.tokens = rates.committed_burst},
                     .peak = {.tokens = rates.peak_burst},
                     .filled = now,
                     .set = true};
}

void MeterMemory::reset(std::uint64_t index) {
  check(index);
  entries_[index] = {};
}

std::uint64_t MeterMemory::tokens(std::uint64_t index) const {
  check(index);
  return entries_[index].committed.tokens << 32 | (entries_[index].peak.tokens & 0xffff'ffff);
}

void CounterMemory::check(std::uint64_t index) const {
  if (index >= entries_.size()) refuse_index("counter", name_, index, entries_.size());
}

const CounterValue& CounterMemory::count(std::uint64_t index, std::uint64_t bytes) {
  check(index);
  auto& value = entries_[index];
  value.packets += unit_ != CounterUnit::bytes;
  if (unit_ != CounterUnit::packets) value.bytes += bytes;
  return value;
}

const CounterValue& CounterMemory::at(std::uint64_t index) const {
  check(index);
  return entries_[index];
}

void CounterMemory::set(std::uint64_t index, const CounterValue& value) {
  check(index);
  entries_[index] = {.packets = unit_ == CounterUnit::bytes ? 0 : value.packets,
                     .bytes = unit_ == CounterUnit::packets ? 0 : value.bytes};
}

}  // namespace racksim::p4
