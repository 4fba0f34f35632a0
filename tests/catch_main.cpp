// Catch2's main function, compiled once for all test programs.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include <cstdlib>

namespace {

// What is compared with a program's standard error does not hang on how long it took on a busy machine.
[[maybe_unused]] const int no_progress = setenv("RACKSIM_PROGRESS", "none", 1);

}  // namespace
