// See described_registers.hpp.
#include "protocols/switch_cache/described_registers.hpp"

#include <fmt/core.h>

#include "protocols/switch_cache/cache_manager.hpp"

namespace racksim::switch_cache {

namespace {

std::string valid_bit_text(std::uint64_t state) {
  return state != 0 ? "valid" : "invalid";
}

std::string versioned_text(std::uint64_t state) {
  return fmt::format("{}, version {}", valid_bit_text(state >> 32), state & 0xffff'ffff);
}

}  // namespace

models::SwitchRegister described(const p4::RegisterArray& array, std::uint64_t index, const char* meaning,
                                 std::string (*print)(std::uint64_t)) {
  return {kPipe, array.name, index, meaning, "", print};
}

models::SwitchRegister described_state(const CacheProgram& program, std::uint64_t index) {
  const bool versions = program.state->width.total() > 1;
  return described(*program.state, index, "state of the value", versions ? versioned_text : valid_bit_text);
}

}  // namespace racksim::switch_cache
