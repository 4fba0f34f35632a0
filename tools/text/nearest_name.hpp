// The valid name that a mistyped one was probably meant to be.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace racksim::tools {

/// The number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`, where no piece is
/// edited twice (optimal string alignment distance).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate with the smallest edit distance to `name`, the first of equals; empty if none is near (more than a
/// third of the longer name, and at least two edits, would have to change).
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

/// `"a", "b" or "c"`, for the "expected" part of an error; "nothing (none is known)" if there is no name.
std::string one_of(const std::vector<std::string>& names);

}  // namespace racksim::tools
