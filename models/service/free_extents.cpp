// Taking from extents and giving back to them. See free_extents.hpp.
#include "models/service/free_extents.hpp"

#include <algorithm>
#include <iterator>

#include "sim/kernel/invariant.hpp"

namespace racksim::models {

std::optional<std::uint64_t> take_first_fit(FreeExtents& free, std::uint64_t bytes) {
  const auto extent = std::find_if(free.begin(), free.end(), [&](const auto& e) { return e.second >= bytes; });
  if (extent == free.end()) return std::nullopt;
  const auto [first, room] = *extent;
  free.erase(extent);
  if (room > bytes) free.emplace(first + bytes, room - bytes);
  return first;
}

void give_back(FreeExtents& free, std::uint64_t first, std::uint64_t bytes) {
  const auto [freed, is_new] = free.emplace(first, bytes);
  RACKSIM_INVARIANT(is_new, "what is given back is not free");
  if (const auto after = std::next(freed); after != free.end() && first + bytes == after->first) {
    freed->second += after->second;
    free.erase(after);
  }
  if (freed == free.begin()) return;
  if (const auto before = std::prev(freed); before->first + before->second == freed->first) {
    before->second += freed->second;
    free.erase(freed);
  }
}

}  // namespace racksim::models
