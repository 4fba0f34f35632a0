// Names, counts and text of coverage. See coverage.hpp.
#include "sim/record/coverage.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace racksim::sim {

bool CoverageMap::is_impossible(std::size_t state) const {
  return std::any_of(impossible.begin(), impossible.end(), [&](const Impossible& i) { return i.state == state; });
}

void CoverageMap::add_rows(const void* table, const std::vector<std::string>& names) {
  tables.push_back({table, rows.size()});
  rows.insert(rows.end(), names.begin(), names.end());
}

std::size_t CoverageMap::first_row_of(const void* table) const {
  for (const Table& each : tables) {
    if (each.identity == table) return each.first_row;
  }
  throw std::logic_error("a transition table is executed that the protocol's registration does not list");
}

std::string CoverageMap::name_of(std::size_t point) const {
  if (point >= pairs() + race_points.size()) return rows.at(point - pairs() - race_points.size());
  if (point >= pairs()) return race_points.at(point - pairs());
  return fmt::format("{} / {}", states[point / messages.size()], messages[point % messages.size()]);
}

void Coverage::merge(const Coverage& other) {
  for (std::size_t i = 0; i < reached_.size(); ++i) reached_[i] |= other.reached_.at(i);
}

Coverage::Count Coverage::count() const {
  Count count;
  for (std::size_t state = 0; state < map_->states.size(); ++state) {
    const bool impossible = map_->is_impossible(state);
    for (std::size_t message = 0; message < map_->messages.size(); ++message) {
      const bool hit = reached(state * map_->messages.size() + message);
      if (impossible) {
        count.impossible_pairs += hit;
      } else {
        ++count.possible_pairs;
        count.pairs += hit;
      }
    }
  }
  count.declared_race_points = map_->race_points.size();
  count.declared_rows = map_->rows.size();
  const std::size_t first_row = map_->pairs() + count.declared_race_points;
  for (std::size_t point = map_->pairs(); point < first_row; ++point) count.race_points += reached(point);
  for (std::size_t point = first_row; point < map_->points(); ++point) count.rows += reached(point);
  return count;
}

std::string Coverage::text() const {
  std::string text;
  for (const std::uint64_t word : reached_) text += fmt::format("{:016x}", word);
  return text;
}

void Coverage::merge_text(std::string_view text) {
  if (text.size() != reached_.size() * 16) throw std::runtime_error("coverage of another map");
  for (std::size_t i = 0; i < reached_.size(); ++i) {
    std::uint64_t word = 0;
    const char* begin = text.data() + i * 16;
    if (std::from_chars(begin, begin + 16, word, 16).ptr != begin + 16) throw std::runtime_error("not coverage");
    reached_[i] |= word;
  }
}

}  // namespace racksim::sim
