#include "sim/random/random.hpp"

#include <cmath>

#include "sim/random/elementary.hpp"

namespace racksim::sim {
namespace {

constexpr std::uint32_t low(std::uint64_t x) {
  return static_cast<std::uint32_t>(x);
}
constexpr std::uint32_t high(std::uint64_t x) {
  return static_cast<std::uint32_t>(x >> 32);
}
constexpr std::uint64_t join(std::uint32_t low, std::uint32_t high) {
  return static_cast<std::uint64_t>(high) << 32 | low;
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {high(p1) ^ counter[1] ^ key[0], low(p1), high(p0) ^ counter[3] ^ key[1], low(p0)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

std::uint64_t keyed_draw(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
  // The complemented seed as key keeps these draws apart from the streams of the run.
  const auto words = philox4x32({low(a), high(a), low(b), high(b)}, {low(~seed), high(~seed)});
  return join(words[0], words[1]);
}

void RandomStream::refill() {
  const auto words =
      philox4x32({low(next_block_), high(next_block_), low(name_hash_), high(name_hash_)}, {low(seed_), high(seed_)});
  ++next_block_;
  block_ = {join(words[2], words[3]), join(words[0], words[1])};
  left_ = 2;
}

Duration RandomStream::exponential(Duration mean) {
  RACKSIM_INVARIANT(mean.ps() >= 0, "a mean duration is not negative");
  const double ps = -portable_log(1 - unit()) * static_cast<double>(mean.ps());
  if (ps >= 0x1p63) return Duration::max();
  return Duration::from_ps(std::llround(ps));
}

}  // namespace racksim::sim
