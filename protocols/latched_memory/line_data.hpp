// What a copy of a line holds: the values of its 8-byte objects, as few as are not 0.
//
// A cache has millions of lines, and of most of them few objects were ever written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <vector>

#include "models/host/memory.hpp"
#include "p4model/language/content.hpp"
#include "sim/record/ids.hpp"

namespace racksim::latched_memory {

/// Objects of a line, from `low` to before `high`. None if they are equal.
struct ObjectRange {
  std::uint16_t low = 0, high = 0;

  bool empty() const { return low == high; }
  std::size_t bytes() const { return std::size_t{8} * (high - low); }
  /// Grows to hold an object too (SELCC §5.2.2).
  void widen(std::uint16_t object) {
    if (empty()) {
      low = object;
      high = static_cast<std::uint16_t>(object + 1);
    } else {
      low = object < low ? object : low;
      high = object >= high ? static_cast<std::uint16_t>(object + 1) : high;
    }
  }
  bool operator==(const ObjectRange&) const = default;
};

class LineData {
 public:
  LineData() = default;
  LineData(LineData&& other) noexcept : entries_(other.entries_) { other.entries_ = nullptr; }
  LineData& operator=(LineData&& other) noexcept;
  LineData(const LineData&) = delete;
  LineData& operator=(const LineData&) = delete;
  ~LineData() { ::operator delete(entries_); }

  sim::Value value(std::uint16_t object) const;
  void set(std::uint16_t object, sim::Value value);
  /// Holds nothing from now on, and keeps its memory for what comes.
  void clear() {
    if (entries_ != nullptr) entries_->count = 0;
  }

  /// Takes all objects from the bytes of a line in memory or in a message.
  void load(std::span<const std::byte> bytes);
  /// The same from a line's memory, of which only what is not 0 is looked at.
  void load(const models::Memory& memory, std::uint64_t address, std::uint64_t bytes);
  /// Writes some objects to the memory of a line. What is 0 here is 0 there.
  void write_back(ObjectRange range, models::Memory& memory, std::uint64_t address) const;
  /// The bytes of some objects.
  void store(ObjectRange range, std::span<std::byte> into) const;
  p4::Content bytes(ObjectRange range) const {
    return p4::Content::filled(range.bytes(), [&](std::span<std::byte> into) { store(range, into); });
  }

  /// Calls `visit(std::uint16_t object, sim::Value)` for each that is not 0, in their order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    if (entries_ == nullptr) return;
    for (std::uint32_t i = 0; i < entries_->count; ++i) visit(entries()[i].object, sim::Value{entries()[i].value});
  }

 private:
  struct Entry {
    std::uint64_t value;
    std::uint16_t object;
  };
  /// Before the entries, in their order, in one piece of memory: a copy without values is one pointer.
  struct Header {
    std::uint32_t count, capacity;
  };
  Entry* entries() const { return reinterpret_cast<Entry*>(entries_ + 1); }
  void grow();

  Header* entries_ = nullptr;
};

/// What a WRITE to whoever waits for a line carries: a header, and the bytes of the line behind it.
template <class Header>
p4::Content behind(const Header& header, std::span<const std::byte> line) {
  return p4::Content::filled(sizeof header + line.size(), [&](std::span<std::byte> into) {
    std::memcpy(into.data(), &header, sizeof header);
    std::memcpy(into.data() + sizeof header, line.data(), line.size());
  });
}
template <class Header>
Header header_of(const p4::Content& content) {
  Header header;
  std::memcpy(static_cast<void*>(&header), content.bytes().data(), sizeof header);
  return header;
}

}  // namespace racksim::latched_memory
