#include "p4model/execute/register_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace racksim::p4 {

RegisterFile::RegisterFile(std::string program, const std::deque<RegisterArray>& arrays)
    : program_(std::move(program)) {
  for (const auto& array : arrays) {
    const auto bits = array.width.bits;
    const bool pair = array.width.pair;
    const auto layout = bits <= 8    ? (pair ? Layout::pair_8 : Layout::single_8)
                        : bits == 16 ? (pair ? Layout::pair_16 : Layout::single_16)
                                     : (pair ? Layout::pair_32 : Layout::single_32);
    const std::size_t bytes = (bits + 7) / 8 * (pair ? 2 : 1);
    arrays_.push_back({.name = array.name,
                       .layout = layout,
                       .bits = bits,
                       .total_bits = array.width.total(),
                       .size = array.size,
                       .entry_bytes = bytes,
                       .stride = 0,
                       .first = nullptr});
  }
  lay_out();
}

RegisterFile::RegisterFile(const RegisterFile& other)
    : program_(other.program_), arrays_(other.arrays_), memory_(other.memory_), observers_(other.observers_) {
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    arrays_[i].first = memory_.data() + (other.arrays_[i].first - other.memory_.data());
  }
}

// One record an index for all arrays of as many entries, the widest entries first, so that none needs a gap before it.
void RegisterFile::lay_out() {
  constexpr std::size_t kCacheLine = 64;
  const auto round_up = [](std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; };
  std::vector<std::size_t> places(arrays_.size());
  std::size_t used = 0;
  for (const Array& leader : arrays_) {
    if (leader.stride != 0) continue;
    std::vector<std::size_t> alike;
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      if (arrays_[i].size == leader.size) alike.push_back(i);
    }
    std::stable_sort(alike.begin(), alike.end(),
                     [&](auto a, auto b) { return arrays_[a].entry_bytes > arrays_[b].entry_bytes; });
    used = round_up(used, kCacheLine);
    std::size_t record = 0;
    for (const std::size_t i : alike) places[i] = used + std::exchange(record, record + arrays_[i].entry_bytes);
    record = round_up(record, arrays_[alike.front()].entry_bytes);
    for (const std::size_t i : alike) arrays_[i].stride = record;
    used += leader.size * record;
  }
  memory_.resize(used);
  for (std::size_t i = 0; i < arrays_.size(); ++i) arrays_[i].first = memory_.data() + places[i];
}

std::uint32_t RegisterFile::array(std::string_view name) const {
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    if (arrays_[i].name == name) return static_cast<std::uint32_t>(i);
  }
  throw std::runtime_error(fmt::format("program '{}' has no register array '{}'", program_, name));
}

std::uint64_t RegisterFile::read(std::uint32_t array, std::uint64_t index) const {
  const auto& a = arrays_.at(array);
  if (index >= a.size) throw_outside(array, index);
  const auto* entry = a.first + index * a.stride;
  const auto half = [&](auto value, std::size_t h) {
    std::memcpy(&value, entry + h * sizeof value, sizeof value);
    return std::uint64_t{value};
  };
  switch (a.layout) {
    case Layout::single_8:
      return half(std::uint8_t{}, 0);
    case Layout::single_16:
      return half(std::uint16_t{}, 0);
    case Layout::single_32:
      return half(std::uint32_t{}, 0);
    case Layout::pair_8:
      return half(std::uint8_t{}, 0) | half(std::uint8_t{}, 1) << a.bits;
    case Layout::pair_16:
      return half(std::uint16_t{}, 0) | half(std::uint16_t{}, 1) << a.bits;
    case Layout::pair_32:
      return half(std::uint32_t{}, 0) | half(std::uint32_t{}, 1) << a.bits;
  }
  return 0;
}

std::uint64_t RegisterFile::next_used(std::uint32_t array, std::uint64_t index) const {
  const auto& a = arrays_.at(array);
  const std::byte* entry = a.first + index * a.stride;
  for (; index < a.size; ++index, entry += a.stride) {
    std::uint64_t word = 0;
    std::memcpy(&word, entry, a.entry_bytes);
    if (word != 0) return index;
  }
  return a.size;
}

void RegisterFile::write(std::uint32_t array, std::uint64_t index, std::uint64_t value) {
  auto& a = arrays_.at(array);
  if (index >= a.size) throw_outside(array, index);
  if (value > mask_of(a.total_bits)) {
    throw std::runtime_error(fmt::format("program '{}', register array '{}': value {} exceeds {} bits", program_,
                                         a.name, value, a.total_bits));
  }
  const auto bytes = a.entry_bytes;
  auto* entry = a.first + index * a.stride;
  const auto half = a.total_bits == a.bits ? bytes : bytes / 2;
  for (std::size_t h = 0; h < bytes / half; ++h) {
    const auto part = value >> (h * a.bits) & mask_of(a.bits);
    const auto byte = static_cast<std::uint8_t>(part);
    const auto word = static_cast<std::uint16_t>(part);
    const auto wide = static_cast<std::uint32_t>(part);
    if (half == 1) std::memcpy(entry + h, &byte, 1);
    if (half == 2) std::memcpy(entry + 2 * h, &word, 2);
    if (half == 4) std::memcpy(entry + 4 * h, &wide, 4);
  }
  for (StateWriteObserver* observer : observers_) observer->register_set(array, index);
}

void RegisterFile::notify(const ArrayCode& code, std::uint64_t index, std::uint64_t lo, std::uint64_t hi,
                          const Packet& packet) const {
  const auto& a = arrays_[code.array];
  const auto value = a.total_bits == a.bits ? lo : hi << a.bits | lo;
  const StateWrite write{.array = code.array,
                         .index = static_cast<std::uint32_t>(index),
                         .value = value,
                         .stage = code.stage,
                         .packet_serial = packet.serial};
  for (StateWriteObserver* observer : observers_) observer->register_written(write);
}

void RegisterFile::throw_outside(std::uint32_t array, std::uint64_t index) const {
  const auto& a = arrays_[array];
  throw std::runtime_error(fmt::format("program '{}', register array '{}': index {} is outside its {} entries",
                                       program_, a.name, index, a.size));
}

}  // namespace racksim::p4
