// Edit distance and the suggestions made from it.
#include "tools/text/nearest_name.hpp"

#include <algorithm>

namespace racksim::tools {
namespace {

/// Names longer than this are not near to anything that we declare; it bounds the work on hostile input.
constexpr std::size_t kLongestName = 200;

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.size() > kLongestName) return {};
  std::string best;
  std::size_t best_distance = kLongestName;
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    const std::size_t allowed = std::max<std::size_t>(2, std::max(name.size(), candidate.size()) / 3);
    if (distance > allowed || distance >= candidate.size() || distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

std::string one_of(const std::vector<std::string>& names) {
  if (names.empty()) return "nothing (none is known)";
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += "\"" + names[i] + "\"";
  }
  return text;
}

}  // namespace racksim::tools
