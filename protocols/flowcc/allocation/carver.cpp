// Carving and free lists. See carver.hpp.
#include "protocols/flowcc/allocation/carver.hpp"

namespace racksim::flowcc {

std::optional<models::GlobalAddress> Carver::take(std::uint64_t piece) {
  const std::uint64_t block = classes_.block_bytes();
  std::vector<models::GlobalAddress>* list = piece < block ? &small_[piece] : nullptr;
  if (list != nullptr && !list->empty()) {
    const models::GlobalAddress first = list->back();
    list->pop_back();
    return first;
  }
  const auto first = models::take_first_fit(blocks_, list != nullptr ? block : piece);
  if (!first) return std::nullopt;
  // The others of the block, the lowest on top.
  if (list != nullptr) {
    for (std::uint64_t i = block / piece - 1; i > 0; --i) list->push_back({*first + i * piece});
  }
  return models::GlobalAddress{*first};
}

void Carver::give_back(models::GlobalAddress first, std::uint64_t piece) {
  if (piece < classes_.block_bytes()) {
    small_[piece].push_back(first);
  } else {
    models::give_back(blocks_, first.value, piece);
  }
}

std::uint64_t Carver::free_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& [first, extent] : blocks_) bytes += extent;
  for (const auto& [piece, list] : small_) bytes += piece * list.size();
  return bytes;
}

}  // namespace racksim::flowcc
