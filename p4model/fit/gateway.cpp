#include "p4model/fit/gateway.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "p4model/fit/dependency_graph.hpp"
#include "p4model/fit/placement.hpp"

namespace racksim::p4 {

namespace {

constexpr unsigned kSetBits = 4;  // that one comparison by a set of values sees
constexpr std::uint16_t kNone = GatewayMatch::kNone;
using Seen = GatewayMatch::Seen;
using Match = GatewayMatch;
using Cube = std::vector<Match>;
using Row = GatewayRow;
using Rows = GatewayRows;

/// Both matches of one thing; nothing if they contradict each other.
std::optional<Match> both(const Match& a, const Match& b) {
  if (a.seen.by_set) {
    const auto values = a.value & b.value;
    return values == 0 ? std::nullopt : std::optional(Match{a.seen, a.mask, values});
  }
  if (((a.value ^ b.value) & a.mask & b.mask) != 0) return std::nullopt;
  return Match{a.seen, a.mask | b.mask, a.value | b.value};
}

std::optional<Cube> both(const Cube& a, const Cube& b) {
  Cube out = a;
  for (const Match& match : b) {
    const auto same = std::find_if(out.begin(), out.end(), [&](const Match& m) { return m.seen == match.seen; });
    if (same == out.end()) {
      out.push_back(match);
    } else if (const auto joined = both(*same, match)) {
      *same = *joined;
    } else {
      return std::nullopt;
    }
  }
  return out;
}

bool covers(const Match& general, const Match& special) {
  if (general.seen.by_set) return (special.value & ~general.value) == 0;
  return (general.mask & ~special.mask) == 0 && ((general.value ^ special.value) & general.mask) == 0;
}

/// Whether all that `special` matches is matched by `general`.
bool covers(const Cube& general, const Cube& special) {
  return std::all_of(general.begin(), general.end(), [&](const Match& g) {
    return std::any_of(special.begin(), special.end(),
                       [&](const Match& s) { return s.seen == g.seen && covers(g, s); });
  });
}

/// One cube for two that differ in one bit of one field.
std::optional<Cube> joined(const Cube& a, const Cube& b) {
  if (a.size() != b.size()) return std::nullopt;
  Cube out;
  bool differs = false;
  for (const Match& match : a) {
    const auto same = std::find_if(b.begin(), b.end(), [&](const Match& m) { return m.seen == match.seen; });
    if (same == b.end() || same->mask != match.mask) return std::nullopt;
    const auto difference = same->value ^ match.value;
    if (difference == 0) {
      out.push_back(match);
      continue;
    }
    if (differs || match.seen.by_set || !std::has_single_bit(difference)) return std::nullopt;
    differs = true;
    if (match.mask != difference) out.push_back({match.seen, match.mask & ~difference, match.value & ~difference});
  }
  return differs ? std::optional(out) : std::nullopt;
}

/// The same decision by fewer rows, where that is easily seen.
void simplify(Rows& list) {
  auto& rows = list.rows;
  const auto drop = [&](std::size_t i) { rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(i)); };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = rows.size(); --j > i;) {
      if (covers(rows[i].cube, rows[j].cube)) drop(j);
    }
  }
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    for (std::size_t j = i + 1; j < rows.size() && rows[j].outcome == rows[i].outcome; ++j) {
      const auto one = joined(rows[i].cube, rows[j].cube);
      if (!one) continue;
      rows[i].cube = *one;
      drop(j--);
    }
  }
  for (std::size_t i = rows.size(); i-- > 0;) {
    if (rows[i].outcome != list.otherwise) continue;
    const bool decides = std::any_of(rows.begin() + static_cast<std::ptrdiff_t>(i), rows.end(), [&](const Row& later) {
      return later.outcome != list.otherwise && both(rows[i].cube, later.cube);
    });
    if (!decides) drop(i);
  }
}

Rows opposite(Rows list) {
  for (Row& row : list.rows) row.outcome = !row.outcome;
  list.otherwise = !list.otherwise;
  return list;
}

/// `a && b`: where a row of `a` says yes, `b` decides.
Rows both_in_order(const Rows& a, const Rows& b) {
  Rows out;
  out.otherwise = a.otherwise && b.otherwise;
  for (const Row& row : a.rows) {
    if (!row.outcome) {
      out.rows.push_back(row);
      continue;
    }
    for (const Row& inner : b.rows) {
      if (auto cube = both(row.cube, inner.cube)) out.rows.push_back({std::move(*cube), inner.outcome});
    }
    // Whatever else comes to a `no` of `b` meets it again further down.
    if (b.otherwise) out.rows.push_back(row);
  }
  if (a.otherwise) out.rows.insert(out.rows.end(), b.rows.begin(), b.rows.end());
  simplify(out);
  return out;
}

std::size_t bits_compared(const Rows& list) {
  std::size_t bits = 0;
  for (const Row& row : list.rows) {
    for (const Match& match : row.cube) bits += static_cast<std::size_t>(std::popcount(match.mask));
  }
  return bits;
}

Rows conjunction(const Rows& a, const Rows& b) {
  Rows one = both_in_order(a, b), other = both_in_order(b, a);
  const auto cost = [](const Rows& list) { return std::pair(list.rows.size(), bits_compared(list)); };
  return cost(other) < cost(one) ? other : one;
}

/// `field < limit`.
Rows less(std::uint16_t field, unsigned bits, std::uint64_t limit) {
  if (limit == 0) return {};
  if (limit > mask_of(bits)) return {.rows = {}, .otherwise = true};
  const auto zeros = static_cast<unsigned>(std::countr_zero(limit));
  const auto high = mask_of(bits) & ~mask_of(zeros);
  if (std::has_single_bit(limit)) return {.rows = {{{{{field}, high, 0}}, true}}, .otherwise = false};
  Rows out;
  Cube above;  // the bits above are equal
  const unsigned compared = bits - zeros;
  for (unsigned from = (compared - 1) / kSetBits * kSetBits;; from -= kSetBits) {
    const unsigned width = std::min(kSetBits, compared - from);
    const auto values = mask_of(1U << width);
    const auto here = (limit >> (zeros + from)) & mask_of(width);
    const Seen seen{.field = field, .by_set = true, .from = static_cast<std::uint8_t>(zeros + from)};
    if (here > 0) {
      Cube cube = above;
      cube.push_back({seen, values, mask_of(static_cast<unsigned>(here))});
      out.rows.push_back({std::move(cube), true});
    }
    above.push_back({seen, values, std::uint64_t{1} << here});
    if (from == 0) break;
  }
  return out;
}

Rows equal(Seen seen, unsigned bits, std::uint64_t value) {
  if (value > mask_of(bits)) return {};
  return {.rows = {{{{seen, mask_of(bits), value}}, true}}, .otherwise = false};
}

Rows rows_of(const Program& program, const Condition::Node& part) {
  using Operator = Condition::Node::Operator;
  switch (part.op) {
    case Operator::conjunction:
      return conjunction(rows_of(program, *part.first), rows_of(program, *part.second));
    case Operator::disjunction:
      return opposite(conjunction(opposite(rows_of(program, *part.first)), opposite(rows_of(program, *part.second))));
    case Operator::negation:
      return opposite(rows_of(program, *part.first));
    case Operator::compare:
      break;
  }
  const std::uint16_t field = part.left.id;
  const unsigned bits = program.info(part.left).bits;
  const bool fields = part.right.source == Operand::Source::field;
  const auto value = part.right.value;
  switch (part.comparison) {
    case Comparison::equal:
    case Comparison::not_equal: {
      Rows same = fields ? equal({.field = field, .other = part.right.field().id},
                                 std::max(bits, program.info(part.right.field()).bits), 0)
                         : equal({.field = field}, bits, value);
      if (part.comparison == Comparison::equal) return same;
      // That a bit is not 0 is that it is 1.
      return bits == 1 && !fields && value <= 1 ? equal({.field = field}, bits, 1 - value) : opposite(same);
    }
    default:
      break;
  }
  if (fields) {
    throw ProgramError(
        "condition too complex, one operand of an order must be constant; the difference of the two, by an action or a "
        "stateful ALU of an earlier stage, can be compared with a constant");
  }
  const auto below = [&](std::uint64_t limit) { return less(field, bits, limit); };
  const auto up_to = [&](std::uint64_t last) {
    return last == ~std::uint64_t{0} ? Rows{.rows = {}, .otherwise = true} : below(last + 1);
  };
  switch (part.comparison) {
    case Comparison::less:
      return below(value);
    case Comparison::greater_equal:
      return opposite(below(value));
    case Comparison::less_equal:
      return up_to(value);
    default:
      return opposite(up_to(value));
  }
}

class Conditions {
 public:
  Conditions(const SwitchResources& resources, const Program& program) : resources_(resources), program_(program) {}

  std::uint64_t gateways(const ProgramNode& node) const {
    const Rows list = rows(node);
    if (node.control->splits) return split(list);
    const Width width = width_of(list.rows);
    if (!fits(width)) {
      fail(node,
           "condition too complex, limit of {} bytes + {} bits of PHV input exceeded: it sees {} bytes + {} bits; "
           "narrower fields, split() or a table that has them as keys would help",
           resources_.gateway_bytes, resources_.gateway_bits, width.bytes, width.bits);
    }
    if (list.rows.size() > resources_.gateway_rows) {
      fail(node,
           "condition too complex, {} rows needed, {} available; split() or a table that has its fields as keys would "
           "help",
           list.rows.size(), resources_.gateway_rows);
    }
    return 1;
  }

 private:
  struct Width {
    std::uint64_t bytes = 0, bits = 0;
  };

  Rows rows(const ProgramNode& node) const {
    try {
      return gateway_rows(program_, *node.control->condition);
    } catch (const ProgramError& error) {
      fail(node, "{}", error.what());
    }
  }

  template <class... Args>
  [[noreturn]] void fail(const ProgramNode& node, fmt::format_string<Args...> text, Args&&... args) const {
    throw DoesNotFit(fmt::format("program '{}' does not fit: gateway '{}': {}", program_.name(), node.name,
                                 fmt::format(text, std::forward<Args>(args)...)));
  }

  bool fits(const Width& width) const {
    return width.bytes <= resources_.gateway_bytes && width.bits <= resources_.gateway_bits;
  }

  /// At most a byte of what rows look at: an xor takes one of the bytes, a comparison by a set takes bits, the others
  /// may take either.
  struct Piece {
    enum class Place : std::uint8_t { byte, bits, either } place;
    std::uint64_t bits;
  };
  static std::vector<Piece> pieces_of(std::span<const Row> rows) {
    std::vector<Match> seen;  // with the masks of all rows together
    for (const Row& row : rows) {
      for (const Match& match : row.cube) {
        const auto same = std::find_if(seen.begin(), seen.end(), [&](const Match& m) { return m.seen == match.seen; });
        if (same == seen.end()) {
          seen.push_back(match);
        } else {
          same->mask |= match.mask;
        }
      }
    }
    std::vector<Piece> pieces;
    for (const Match& match : seen) {
      if (match.seen.by_set) {
        const auto values = static_cast<unsigned>(std::popcount(match.mask));
        pieces.push_back({Piece::Place::bits, static_cast<std::uint64_t>(std::countr_zero(values))});
        continue;
      }
      const auto place = match.seen.other != kNone ? Piece::Place::byte : Piece::Place::either;
      for (auto mask = match.mask; mask != 0; mask >>= 8) {
        if ((mask & 0xff) != 0) pieces.push_back({place, static_cast<std::uint64_t>(std::popcount(mask & 0xff))});
      }
    }
    // Those without a choice come first, then the widest, which take the bytes.
    std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
      return std::pair(a.place, b.bits) < std::pair(b.place, a.bits);
    });
    return pieces;
  }
  void add(Width& width, const Piece& piece) const {
    if (piece.place == Piece::Place::byte ||
        (piece.place == Piece::Place::either && width.bytes < resources_.gateway_bytes)) {
      ++width.bytes;
    } else {
      width.bits += piece.bits;
    }
  }
  Width width_of(std::span<const Row> rows) const {
    Width width;
    for (const Piece& piece : pieces_of(rows)) add(width, piece);
    return width;
  }

  /// Gateways that miss into each other: as many rows each as fit. A row that is too wide for one takes several, each of
  /// which sees a part of it.
  std::uint64_t split(const Rows& list) const {
    const std::span<const Row> rows(list.rows);
    std::uint64_t gateways = 0;
    for (std::size_t first = 0; first < rows.size();) {
      std::size_t count = std::min<std::size_t>(resources_.gateway_rows, rows.size() - first);
      while (count > 0 && !fits(width_of(rows.subspan(first, count)))) --count;
      gateways += count > 0 ? 1 : parts(rows.subspan(first, 1));
      first += std::max<std::size_t>(count, 1);
    }
    return std::max<std::uint64_t>(gateways, 1);
  }
  std::uint64_t parts(std::span<const Row> row) const {
    std::uint64_t gateways = 1;
    Width width;
    for (const Piece& piece : pieces_of(row)) {
      Width wider = width;
      add(wider, piece);
      if (!fits(wider)) {
        ++gateways;
        wider = {};
        add(wider, piece);
      }
      width = wider;
    }
    return gateways;
  }

  const SwitchResources& resources_;
  const Program& program_;
};

}  // namespace

GatewayRows gateway_rows(const Program& program, const Condition& condition) {
  return rows_of(program, condition.root());
}

void check_gateways(const SwitchResources& resources, const Program& program, DependencyGraph& graph) {
  const Conditions conditions(resources, program);
  for (std::size_t v = 0; v < boost::num_vertices(graph); ++v) {
    if (graph[v].control->condition) graph[v].gateways = conditions.gateways(graph[v]);
  }
}

}  // namespace racksim::p4
