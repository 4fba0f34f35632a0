// States as bytes and back: what a model is made of names its parts to an archive once, in one template, and the
// archive writes or reads them.
//
//   template <class Archive> void archive(Archive& archive) { archive(state_, seq_); archive.list(holders_, ...); }
//
// Numbers take a byte for each 7 bits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace racksim::sim {

namespace detail {
template <class T>
constexpr std::uint64_t number_of(const T& value) {
  if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
    return static_cast<std::uint64_t>(value);
  } else {
    return value.number();  // an Id
  }
}
}  // namespace detail

class StateWriter {
 public:
  static constexpr bool kReads = false;

  /// Numbers, enumerations and ids, none of them negative.
  template <class... T>
  void operator()(T&... values) {
    (put(detail::number_of(values)), ...);
  }
  /// All elements of a container that has the same number of them in every state.
  template <class Container>
  void each(Container& values) {
    for (auto& value : values) (*this)(value);
  }
  /// The elements of a container, and how many there are; `one(element)` archives one.
  template <class Container, class One>
  void list(Container& values, One&& one) {
    put(values.size());
    for (auto& value : values) one(value);
  }
  /// What an optional holds, if it does.
  template <class Optional, class One>
  void maybe(Optional& value, One&& one) {
    put(value ? 1 : 0);
    if (value) one(*value);
  }
  /// A string of bytes.
  void text(std::string& bytes) {
    put(bytes.size());
    bytes_ += bytes;
  }

  const std::string& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  void put(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

/// Reads what a writer has written.
class StateReader {
 public:
  static constexpr bool kReads = true;
  explicit StateReader(std::string_view bytes) : at_(bytes.data()) {}

  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }
  template <class Container>
  void each(Container& values) {
    for (auto& value : values) get(value);
  }
  template <class Container, class One>
  void list(Container& values, One&& one) {
    values.resize(number());
    for (auto& value : values) one(value);
  }
  template <class Optional, class One>
  void maybe(Optional& value, One&& one) {
    value.reset();
    if (number() == 0) return;
    value = typename Optional::value_type{};
    one(*value);
  }
  void text(std::string& bytes) {
    const std::uint64_t size = number();
    bytes.assign(at_, size);
    at_ += size;
  }

 private:
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at_++);
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
  }
  template <class T>
  void get(T& value) {
    value = static_cast<T>(number());
  }
  const char* at_;
};

}  // namespace racksim::sim
