// See described_registers.hpp.
#include "protocols/switch_cache/described_registers.hpp"

#include <fmt/core.h>

namespace racksim::switch_cache {

namespace {

std::string valid_bit_text(std::uint64_t state) {
  return state != 0 ? "valid" : "invalid";
}

std::string versioned_text(std::uint64_t state) {
  return fmt::format("{}, version {}", valid_bit_text(state >> 32), state & 0xffff'ffff);
}

}  // namespace

models::SwitchRegister described(const CacheLocation& location, const p4::RegisterArray& array, RowAt row,
                                 const char* meaning, std::string (*print)(std::uint64_t)) {
  return {row.pipe, array.name, row.index, meaning, "", print, location.network_switch()};
}

models::SwitchRegister described_state(const CacheLocation& location, const CacheProgram& program, RowAt row) {
  const auto print = program.has_versions() ? versioned_text : valid_bit_text;
  return described(location, *program.state, row, "state of the value", print);
}

}  // namespace racksim::switch_cache
