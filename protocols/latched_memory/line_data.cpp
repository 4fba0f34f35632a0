// Sparse values of a line. See line_data.hpp.
#include "protocols/latched_memory/line_data.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <type_traits>
#include <utility>

namespace racksim::latched_memory {

LineData& LineData::operator=(LineData&& other) noexcept {
  std::swap(entries_, other.entries_);
  return *this;
}

void LineData::grow() {
  const std::uint32_t count = entries_ == nullptr ? 0 : entries_->count;
  const std::uint32_t capacity = entries_ == nullptr ? 1 : entries_->capacity * 2;
  auto* grown = static_cast<Header*>(::operator new(sizeof(Header) + capacity * sizeof(Entry)));
  *grown = {count, capacity};
  if (count > 0) std::memcpy(static_cast<void*>(grown + 1), entries(), count * sizeof(Entry));
  ::operator delete(std::exchange(entries_, grown));
}

sim::Value LineData::value(std::uint16_t object) const {
  if (entries_ == nullptr) return 0;
  Entry* const end = entries() + entries_->count;
  const Entry* found =
      std::lower_bound(entries(), end, object, [](const Entry& entry, std::uint16_t o) { return entry.object < o; });
  return found != end && found->object == object ? sim::Value{found->value} : sim::Value{0u};
}

void LineData::set(std::uint16_t object, sim::Value value) {
  const std::uint32_t count = entries_ == nullptr ? 0 : entries_->count;
  std::uint32_t at = count;  // they come in their order from memory
  while (at > 0 && entries()[at - 1].object >= object) --at;
  if (at < count && entries()[at].object == object) {
    entries()[at].value = value.number();
    return;
  }
  if (value == 0) return;
  if (entries_ == nullptr || count == entries_->capacity) grow();
  std::memmove(static_cast<void*>(entries() + at + 1), entries() + at, (count - at) * sizeof(Entry));
  entries()[at] = {value.number(), object};
  ++entries_->count;
}

void LineData::load(std::span<const std::byte> bytes) {
  clear();
  const std::size_t objects = bytes.size() / sizeof(std::uint64_t);
  const auto take = [&]<std::size_t words>(std::size_t first, std::integral_constant<std::size_t, words>) {
    std::array<std::uint64_t, words> values;
    std::memcpy(values.data(), bytes.data() + first * sizeof(std::uint64_t), sizeof values);
    std::uint64_t any = 0;
    for (const std::uint64_t value : values) any |= value;
    if (any == 0) return;
    for (std::size_t i = 0; i < words; ++i) {
      if (values[i] != 0) set(static_cast<std::uint16_t>(first + i), sim::Value{values[i]});
    }
  };
  // Most are 0: several are looked at together.
  constexpr std::size_t kTogether = 16;
  std::size_t object = 0;
  for (; object + kTogether <= objects; object += kTogether)
    take(object, std::integral_constant<std::size_t, kTogether>{});
  for (; object < objects; ++object) take(object, std::integral_constant<std::size_t, 1>{});
}

void LineData::load(const models::Memory& memory, std::uint64_t address, std::uint64_t bytes) {
  clear();
  memory.visit_words(address, bytes, [&](std::uint64_t at, std::uint64_t value) {
    set(static_cast<std::uint16_t>((at - address) / sizeof value), sim::Value{value});
  });
}

void LineData::write_back(ObjectRange range, models::Memory& memory, std::uint64_t address) const {
  for_each([&](std::uint16_t object, sim::Value value) {
    if (object >= range.low && object < range.high) memory.set_word(address + object * sizeof value, value.number());
  });
}

void LineData::store(ObjectRange range, std::span<std::byte> into) const {
  std::fill(into.begin(), into.end(), std::byte{0});
  for_each([&](std::uint16_t object, sim::Value value) {
    if (object < range.low || object >= range.high) return;
    const std::uint64_t number = value.number();
    std::memcpy(into.data() + std::size_t{8} * (object - range.low), &number, sizeof number);
  });
}

}  // namespace racksim::latched_memory
