// Random switch programs, registered as random-0, random-1 and so on.
#pragma once

#include <cstdint>
#include <string>

namespace racksim::p4::testing {

/// How many there are; tests/CMakeLists.txt has the passes of all of them generated.
inline constexpr std::uint64_t kRandomPrograms = 24;

std::string random_program_name(std::uint64_t number);

}  // namespace racksim::p4::testing
