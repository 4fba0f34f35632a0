// Which pieces are in use. See pieces.hpp.
#include "protocols/flowcc/allocation/pieces.hpp"

#include <fmt/core.h>

#include <iterator>
#include <stdexcept>

#include "sim/kernel/invariant.hpp"

namespace racksim::flowcc {

void Pieces::use(models::GlobalAddress first, std::uint64_t bytes) {
  const std::uint64_t in_block = first.value & (block_bytes_ - 1);
  RACKSIM_INVARIANT(in_block == 0 || in_block + bytes <= block_bytes_,
                    "a piece lies in no more blocks than its size needs");
  [[maybe_unused]] const auto [piece, is_new] = used_.emplace(first.value, bytes);
  RACKSIM_INVARIANT(is_new, "two pieces do not begin at one address");
  RACKSIM_INVARIANT(piece == used_.begin() || std::prev(piece)->first + std::prev(piece)->second <= first.value,
                    "a piece does not overlap the one before it");
  RACKSIM_INVARIANT(std::next(piece) == used_.end() || first.value + bytes <= std::next(piece)->first,
                    "a piece does not overlap the one behind it");
  bytes_ += bytes;
}

std::uint64_t Pieces::free(models::GlobalAddress first) {
  const auto piece = used_.find(first.value);
  if (piece == used_.end()) {
    throw std::invalid_argument(fmt::format("address {:#x} is no allocation's", first.value));
  }
  const std::uint64_t bytes = piece->second;
  used_.erase(piece);
  bytes_ -= bytes;
  return bytes;
}

}  // namespace racksim::flowcc
