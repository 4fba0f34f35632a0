// Free extents of a memory: first fit by ascending address, and neighbours that are free become one again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace racksim::models {

/// First address to length in bytes. No two of them touch.
using FreeExtents = std::map<std::uint64_t, std::uint64_t>;

/// Takes so many bytes, at least 1, of the beginning of the first extent that has them; nothing if none has.
std::optional<std::uint64_t> take_first_fit(FreeExtents& free, std::uint64_t bytes);
/// Adds what was no part of any.
void give_back(FreeExtents& free, std::uint64_t first, std::uint64_t bytes);

}  // namespace racksim::models
