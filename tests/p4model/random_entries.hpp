// Random entries for the tables of two pipelines with one program, whose passes a test compares.
#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "p4model/execute/pipeline.hpp"
#include "tests/p4model/random_numbers.hpp"

namespace racksim::p4::testing {

/// A value of so many bits, mostly a small one, so that packets and entries meet.
inline std::uint64_t value_of(RandomNumbers& random, unsigned bits) {
  return random.below(4) == 0 ? random.next() & mask_of(bits) : random.below(8) & mask_of(bits);
}

inline KeyMatch key_of(RandomNumbers& random, MatchKind kind, unsigned bits) {
  const auto value = value_of(random, bits);
  switch (kind) {
    case MatchKind::exact:
      return value;
    case MatchKind::ternary: {
      const auto mask = random.next() & mask_of(bits);
      return KeyMatch::masked(value & mask, mask);
    }
    case MatchKind::lpm: {
      const auto length = static_cast<unsigned>(random.below(bits + 1));
      return KeyMatch::prefix(value & (mask_of(bits) & ~mask_of(bits - length)), length);
    }
    case MatchKind::range:
      return KeyMatch::range(value, mask_of(bits));
  }
  return value;
}

/// Puts the same random entries into both; what a table refuses, both refuse.
inline void fill_tables(RandomNumbers& random, Pipeline& one, Pipeline& other) {
  const Program& program = one.program();
  for (const auto& table : program.tables()) {
    const auto actions = table.all_actions();
    if (table.keys.empty() || actions.empty()) continue;
    for (std::uint32_t i = 0; i < 12; ++i) {
      std::vector<KeyMatch> key;
      for (const auto& part : table.keys) key.push_back(key_of(random, part.kind, program.info(part.field).bits));
      const Action& action = *actions[random.below(actions.size())];
      std::vector<std::uint64_t> data;
      for (const auto& parameter : action.parameters) data.push_back(value_of(random, parameter.bits));
      const auto add = [&](Pipeline& pipeline) {
        try {
          pipeline.add_entry(table, key, action, data, table.by_prefix() ? 0 : i);
          return true;
        } catch (const std::runtime_error&) {
          return false;
        }
      };
      const bool added = add(one);
      CHECK(add(other) == added);
    }
  }
}

}  // namespace racksim::p4::testing
