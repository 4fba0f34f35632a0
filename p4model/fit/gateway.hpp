// What a gateway of a stage can decide (docs/hardware.md 6.2): it sees a few bytes of the packet header vector and a few
// bits beside them, and compares them with few ternary rows. The first row that matches decides; if none does, the miss.
//
// So a condition is a list of rows here, each a conjunction of comparisons with an outcome, and what is left has the
// opposite one. Equality takes one row: with a constant by value, of two fields by their xor, which uses the bytes alone.
// Inequality takes a row with the opposite outcome. Order takes a constant: a power of two asks whether the bits from it
// on are 0, in one row of any width; another is compared by sets of four bits each, which use the bits alone, in a row
// for each four. Two fields cannot be compared in order.
//
// Which rows a condition becomes is this model's: it joins rows that differ in one bit, and drops those that decide
// nothing. A compiler may find fewer.
#pragma once

#include <cstdint>
#include <vector>

#include "p4model/fit/dependency.hpp"
#include "p4model/language/resources.hpp"

namespace racksim::p4 {

class DependencyGraph;

/// One comparison of a row: (seen & mask) == value. By a set: bit `seen` of `value` is set, for a `seen` of as many bits
/// as tell the bits of `mask` apart, at most four.
struct GatewayMatch {
  static constexpr std::uint16_t kNone = 0xffff;
  struct Seen {
    std::uint16_t field = 0, other = kNone;  ///< a field, or the xor of two
    bool by_set = false;
    std::uint8_t from = 0;  ///< the field's first bit that is compared, by a set
    friend bool operator==(const Seen&, const Seen&) = default;
  } seen;
  std::uint64_t mask = 0, value = 0;
};

struct GatewayRow {
  std::vector<GatewayMatch> cube;  ///< all of them must hold
  bool outcome = false;
};

/// Rows in their order, and the outcome where none matches.
struct GatewayRows {
  std::vector<GatewayRow> rows;
  bool otherwise = false;
};

/// The rows that decide a condition. Throws ProgramError for one with order of two fields.
GatewayRows gateway_rows(const Program& program, const Condition& condition);

/// Sets how many gateways each condition of the graph takes: one, or several that miss into each other where the program
/// says `split()`. Throws DoesNotFit for another that one gateway cannot decide, and for order of two fields.
void check_gateways(const SwitchResources& resources, const Program& program, DependencyGraph& graph);

}  // namespace racksim::p4
