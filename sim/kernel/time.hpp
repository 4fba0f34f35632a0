// Simulated time as strong integer types in picoseconds.
//
// A double would round differently with optimisation level and lose picoseconds after minutes of simulated time; an
// int64 of picoseconds is exact for 106 days. Instants (`Time`) and lengths (`Duration`) are different types, so that
// adding two instants does not compile. Sums, differences and multiples stop at the ends of the range: what comes after
// Time::max() is Time::max(), so that "never" plus a timeout is never, and not an instant in the past.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace racksim::sim {

namespace detail {
/// What is nearest to the exact result: an end of the range if that lies outside of it.
constexpr std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) [[likely]]
    return sum;
  return b < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}
constexpr std::int64_t saturated_difference(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) [[likely]]
    return difference;
  return b > 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}
constexpr std::int64_t saturated_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) [[likely]]
    return product;
  return (a < 0) != (b < 0) ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}
}  // namespace detail

/// A length of simulated time. Negative values are allowed in arithmetic; what needs a positive one checks for it.
class Duration {
 public:
  constexpr Duration() = default;
  static constexpr Duration from_ps(std::int64_t ps) { return Duration{ps}; }
  static constexpr Duration max() { return Duration{std::numeric_limits<std::int64_t>::max()}; }

  constexpr std::int64_t ps() const { return ps_; }
  /// Nanoseconds and seconds as floating point, for reports only: never feed them back into the simulation.
  constexpr double ns() const { return static_cast<double>(ps_) / 1e3; }
  constexpr double seconds() const { return static_cast<double>(ps_) / 1e12; }

  constexpr auto operator<=>(const Duration&) const = default;
  constexpr Duration operator-() const { return Duration{detail::saturated_difference(0, ps_)}; }
  constexpr Duration& operator+=(Duration d) { return ps_ = detail::saturated_sum(ps_, d.ps_), *this; }
  constexpr Duration& operator-=(Duration d) { return ps_ = detail::saturated_difference(ps_, d.ps_), *this; }
  friend constexpr Duration operator+(Duration a, Duration b) { return a += b; }
  friend constexpr Duration operator-(Duration a, Duration b) { return a -= b; }
  friend constexpr Duration operator*(Duration d, std::int64_t n) {
    return Duration{detail::saturated_product(d.ps_, n)};
  }
  friend constexpr Duration operator*(std::int64_t n, Duration d) { return d * n; }
  friend constexpr Duration operator/(Duration d, std::int64_t n) { return Duration{d.ps_ / n}; }
  friend constexpr std::int64_t operator/(Duration a, Duration b) { return a.ps_ / b.ps_; }

 private:
  explicit constexpr Duration(std::int64_t ps) : ps_(ps) {}
  std::int64_t ps_ = 0;
};

/// An instant of simulated time, counted from the start of the run.
class Time {
 public:
  constexpr Time() = default;
  static constexpr Time from_ps(std::int64_t ps) { return Time{ps}; }
  /// Before all events: since when what was never in use is free.
  static constexpr Time beginning() { return Time{std::numeric_limits<std::int64_t>::min() / 2}; }
  static constexpr Time max() { return Time{std::numeric_limits<std::int64_t>::max()}; }

  constexpr std::int64_t ps() const { return ps_; }
  constexpr double ns() const { return static_cast<double>(ps_) / 1e3; }
  constexpr double seconds() const { return static_cast<double>(ps_) / 1e12; }

  constexpr auto operator<=>(const Time&) const = default;
  constexpr Time& operator+=(Duration d) { return ps_ = detail::saturated_sum(ps_, d.ps()), *this; }
  friend constexpr Time operator+(Time t, Duration d) { return t += d; }
  friend constexpr Time operator-(Time t, Duration d) { return Time{detail::saturated_difference(t.ps_, d.ps())}; }
  friend constexpr Duration operator-(Time a, Time b) {
    return Duration::from_ps(detail::saturated_difference(a.ps_, b.ps_));
  }

 private:
  explicit constexpr Time(std::int64_t ps) : ps_(ps) {}
  std::int64_t ps_ = 0;
};

namespace detail {
/// transmission_time in 128 bits; apart, because it is hardly ever needed and would burden every caller.
[[gnu::noinline]] constexpr std::int64_t wide_transmission_ps(std::int64_t bits, std::int64_t bits_per_second) {
  __extension__ using Wide = __int128;
  const Wide ps = (static_cast<Wide>(bits) * 1'000'000'000'000 + bits_per_second - 1) / bits_per_second;
  constexpr Wide most = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(ps < most ? ps : most);
}
}  // namespace detail

/// How long `bits` take at `bits_per_second`, rounded up to the next picosecond (a wire is never free too early).
constexpr Duration transmission_time(std::int64_t bits, std::int64_t bits_per_second) {
  // Frames at any real rate fit in 64 bits, whose division costs a fraction of that of 128.
  if (bits >= 0 && bits < 9'000'000 && bits_per_second > 0 && bits_per_second < 100'000'000'000'000'000) {
    const auto scaled =
        static_cast<std::uint64_t>(bits) * 1'000'000'000'000 + static_cast<std::uint64_t>(bits_per_second);
    return Duration::from_ps(static_cast<std::int64_t>((scaled - 1) / static_cast<std::uint64_t>(bits_per_second)));
  }
  return Duration::from_ps(detail::wide_transmission_ps(bits, bits_per_second));
}

inline namespace literals {
constexpr Duration operator""_ps(unsigned long long n) {
  return Duration::from_ps(static_cast<std::int64_t>(n));
}
constexpr Duration operator""_ns(unsigned long long n) {
  return operator""_ps(n)*1'000;
}
constexpr Duration operator""_us(unsigned long long n) {
  return operator""_ps(n)*1'000'000;
}
constexpr Duration operator""_ms(unsigned long long n) {
  return operator""_ps(n)*1'000'000'000;
}
constexpr Duration operator""_s(unsigned long long n) {
  return operator""_ps(n)*1'000'000'000'000;
}
}  // namespace literals

}  // namespace racksim::sim
