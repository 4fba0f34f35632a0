// Numbers that name something, each sort a type of its own: a key cannot stand where a value is expected, though both
// are 64 bits. What a number means is for its type to say; what is computed with it is a plain number again.
#pragma once

#include <fmt/core.h>

#include <compare>
#include <concepts>
#include <cstdint>
#include <functional>

namespace racksim::sim {

/// A number of the sort that `Tag` stands for. Literals become one by themselves, other numbers when told to
/// (`Key{n}`), and any of them is a plain number where one is expected: to compare, to print, to put into a packet.
template <class Tag, std::unsigned_integral Number>
class Id {
 public:
  constexpr Id() = default;
  /// For literals alone: the number is known when compiling, and none is negative. Of `Key{7}`, where nothing says what
  /// is expected, clang 14 may crash: `Key{7u}`.
  template <std::same_as<int> Literal>
  consteval Id(Literal literal) : number_(static_cast<Number>(literal)) {
    if (literal < 0) throw "negative";  // does not compile
  }
  template <std::integral Other>
  requires(!std::same_as<Other, int>) explicit constexpr Id(Other number) : number_(static_cast<Number>(number)) {}

  constexpr operator Number() const { return number_; }
  constexpr Number number() const { return number_; }

 private:
  Number number_ = 0;
};

/// What an operation is about: the object, block, lock or item, by the number that histories have for it.
using Key = Id<struct KeyTag, std::uint64_t>;
/// What a key holds: the number of a write, which stands for the bytes that it wrote (history.hpp, kValueBound).
using Value = Id<struct ValueTag, std::uint64_t>;
/// An operation of a session, unique in the run; 0 is none.
using OperationId = Id<struct OperationTag, std::uint64_t>;

/// What a session numbers, its operations and the values that it writes, says in these bits which of them it is, and
/// above them the session: its index from 1.
inline constexpr unsigned kNumberBits = 40;
/// Of all numbers in the run: the one that is `number` among those of the session of this index.
constexpr std::uint64_t number_of_session(std::size_t index, std::uint64_t number) {
  return static_cast<std::uint64_t>(index + 1) << kNumberBits | number;
}
/// Which of its session's operations it is, from 1.
constexpr std::uint64_t number_in_session(std::uint64_t operation) {
  return operation & ((std::uint64_t{1} << kNumberBits) - 1);
}

}  // namespace racksim::sim

/// Prints the number; "{}" alone, no format of its own.
template <class Tag, class Number>
struct fmt::formatter<racksim::sim::Id<Tag, Number>> {
  constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
  template <class Context>
  auto format(racksim::sim::Id<Tag, Number> id, Context& context) const {
    return fmt::format_to(context.out(), "{}", id.number());
  }
};

template <class Tag, class Number>
struct std::hash<racksim::sim::Id<Tag, Number>> : std::hash<Number> {};
