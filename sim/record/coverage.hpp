// What runs have exercised of a protocol: pairs of a state and a type of message that met it, race points, which are
// places in the protocol's code where the paper or a comment names a race, and the rows of its transition tables.
//
// A protocol declares all of them by name when it registers, so that what no run has ever exercised can be named too.
// Coverage is a set of bits beside the run: it is neither folded into the run hash nor seen by anything simulated.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace racksim::sim {

/// A place in a protocol's code where the paper or a comment names a race: its number among those of the protocol.
struct RacePoint {
  std::uint16_t number = 0;
  bool operator==(const RacePoint&) const = default;
};

/// The race points of a protocol, each declared once with the name that reports print:
///
///   struct Races : sim::RacePoints {
///     sim::RacePoint late_answer = add("an answer to a request that is over");
///   };
///   inline constexpr Races races{};
///
/// Deriving from another protocol's goes on behind its points.
class RacePoints {
 public:
  std::vector<std::string> names() const { return {names_.begin(), names_.begin() + count_}; }

 protected:
  /// More than there is room for do not compile.
  constexpr RacePoint add(std::string_view name) {
    names_[count_] = name;
    return {count_++};
  }

 private:
  std::array<std::string_view, 64> names_{};
  std::uint16_t count_ = 0;
};

/// What there is to cover. Points are numbered: pairs first (state by state), then race points, then rows.
struct CoverageMap {
  std::vector<std::string> states;
  std::vector<std::string> messages;
  std::vector<std::string> race_points;
  /// States that a correct protocol can never be seen in, each with the reason. Their pairs are not counted as
  /// something to cover; reaching one of them is worth a look.
  struct Impossible {
    std::size_t state;
    std::string reason;
  };
  std::vector<Impossible> impossible = {};

  /// The rows of all transition tables, one table after the other, and where each begins. `add_rows` adds them.
  std::vector<std::string> rows = {};
  struct Table {
    const void* identity;  ///< the address of what describes it
    std::size_t first_row;
  };
  std::vector<Table> tables = {};

  void add_rows(const void* table, const std::vector<std::string>& names);
  /// Throws std::logic_error for a table that is not in the map: its rows would not be counted.
  std::size_t first_row_of(const void* table) const;
  std::size_t pairs() const { return states.size() * messages.size(); }
  std::size_t points() const { return pairs() + race_points.size() + rows.size(); }
  bool is_impossible(std::size_t state) const;
  /// "state / message", or the name of the race point or row.
  std::string name_of(std::size_t point) const;
};

/// The points of one map that one run, or several, have reached.
class Coverage {
 public:
  /// The map must outlive this.
  explicit Coverage(const CoverageMap& map) : map_(&map), reached_((map.points() + 63) / 64, 0) {}

  const CoverageMap& map() const { return *map_; }
  void pair(std::size_t state, std::size_t message) { reach(state * map_->messages.size() + message); }
  void race(std::size_t race_point) {
    assert(race_point < map_->race_points.size());
    reach(map_->pairs() + race_point);
  }
  /// A row of a transition table, by its number in that table.
  void row(const void* table, std::size_t row) {
    reach(map_->pairs() + map_->race_points.size() + map_->first_row_of(table) + row);
  }
  bool reached(std::size_t point) const { return (reached_[point / 64] >> point % 64 & 1) != 0; }

  /// Adds what another has reached of the same map.
  void merge(const Coverage& other);

  /// Pairs, race points and rows, reached and to be reached (impossible states left out of both).
  struct Count {
    std::size_t pairs = 0, possible_pairs = 0, race_points = 0, declared_race_points = 0, rows = 0, declared_rows = 0;
    std::size_t impossible_pairs = 0;  ///< reached although declared impossible
  };
  Count count() const;

  /// The points as text of 16 hexadecimal digits for every 64 of them, and back. A text of another length is a
  /// std::runtime_error.
  std::string text() const;
  void merge_text(std::string_view text);

 private:
  void reach(std::size_t point) { reached_[point / 64] |= std::uint64_t{1} << point % 64; }

  const CoverageMap* map_;
  std::vector<std::uint64_t> reached_;
};

/// How a protocol's code tells what it exercises: a pointer that is null unless the run was asked for coverage.
class CoverageProbe {
 public:
  CoverageProbe() = default;
  explicit CoverageProbe(Coverage* coverage) : coverage_(coverage) {}

  bool on() const { return coverage_ != nullptr; }
  /// A message of this type met this state.
  void pair(std::size_t state, std::size_t message) const {
    if (coverage_) [[unlikely]]
      coverage_->pair(state, message);
  }
  /// This race point was reached.
  void race(RacePoint point) const {
    if (coverage_) [[unlikely]]
      coverage_->race(point.number);
  }
  /// This row of that transition table was executed.
  void row(const void* table, std::size_t row) const {
    if (coverage_) [[unlikely]]
      coverage_->row(table, row);
  }

 private:
  Coverage* coverage_ = nullptr;
};

}  // namespace racksim::sim
