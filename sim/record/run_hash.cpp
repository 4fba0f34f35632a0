#include "sim/record/run_hash.hpp"

#include <fmt/core.h>

namespace racksim::sim {

std::string RunHash::hex() const {
  return fmt::format("{:016x}{:016x}", high, low);
}

void HashMixer::add(std::string_view text) {
  add(std::uint64_t{text.size()});
  // Eight bytes a word, lowest first whatever the machine's byte order.
  std::uint64_t word = 0;
  unsigned filled = 0;
  for (const char c : text) {
    word |= std::uint64_t{static_cast<unsigned char>(c)} << (8 * filled);
    if (++filled == 8) {
      add(word);
      word = 0;
      filled = 0;
    }
  }
  if (filled != 0) add(word);
}

}  // namespace racksim::sim
