// Value sets of parsers: what the control plane fills in, and what a state makes of it. See pipeline.hpp.
#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "p4model/execute/pipeline.hpp"

namespace racksim::p4 {

std::int32_t Pipeline::choose(const ParseCode& parse, std::uint64_t value) const {
  for (const auto& c : parse.cases) {
    if (c.set < 0) {
      if ((value & c.mask) == c.value) return c.next;
      continue;
    }
    const auto& values = value_sets_[static_cast<std::size_t>(c.set)];
    const bool has_it = std::any_of(values.begin(), values.end(),
                                    [&](const MaskedValue& member) { return (value & member.mask) == member.value; });
    if (has_it) return c.next;
  }
  return parse.next;
}

Pipeline::MaskedValue Pipeline::masked(const ValueSet& set, std::uint64_t value, std::uint64_t mask) {
  mask &= mask_of(set.bits);
  if (value & ~mask) {
    throw std::runtime_error(fmt::format("value set '{}': {:#x} has bits that the mask {:#x} or its {} bits leave out",
                                         set.name, value, mask, set.bits));
  }
  return {value, mask};
}

void Pipeline::add_value(const ValueSet& set, std::uint64_t value, std::uint64_t mask) {
  auto& values = value_sets_.at(set.id);
  const auto added = masked(set, value, mask);
  if (std::find(values.begin(), values.end(), added) != values.end()) {
    throw std::runtime_error(fmt::format("value set '{}': {:#x} is there already", set.name, value));
  }
  if (values.size() == set.size) {
    throw std::runtime_error(fmt::format("value set '{}' is full with {} values", set.name, set.size));
  }
  values.push_back(added);
  tell_of_tables();
}

bool Pipeline::remove_value(const ValueSet& set, std::uint64_t value, std::uint64_t mask) {
  const bool found = std::erase(value_sets_.at(set.id), masked(set, value, mask)) != 0;
  if (found) tell_of_tables();
  return found;
}

}  // namespace racksim::p4
