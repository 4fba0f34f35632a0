// The registers that every cache in the switch has for a key, in words, for charts of a run
// (models/rack/explanation.hpp).
#pragma once

#include <string>

#include "models/rack/explanation.hpp"
#include "protocols/switch_cache/cache_location.hpp"
#include "protocols/switch_cache/cache_program.hpp"

namespace racksim::switch_cache {

/// "row of the key" in an array of the program, printed by `print`.
models::SwitchRegister described(const CacheLocation& location, const p4::RegisterArray& array, RowAt row,
                                 const char* meaning, std::string (*print)(std::uint64_t));

/// STATE of the row: "valid, version 5" of a program with versions, else "valid" or "invalid".
models::SwitchRegister described_state(const CacheLocation& location, const CacheProgram& program, RowAt row);

}  // namespace racksim::switch_cache
