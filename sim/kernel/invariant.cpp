// What a broken invariant says. See invariant.hpp.
#include "sim/kernel/invariant.hpp"

#include <fmt/core.h>

namespace racksim::sim {
namespace {

// A build that finds the objects of another folder again compiles with paths relative to its own.
std::string_view in_project(std::string_view file) {
  while (file.starts_with("../")) file.remove_prefix(3);
  return file;
}

}  // namespace

BrokenInvariant::BrokenInvariant(std::string_view file, unsigned line, std::string_view condition,
                                 std::string_view message)
    : std::logic_error(fmt::format("broken invariant at {}:{}: {} ({})", in_project(file), line, message, condition)) {}

void detail::break_invariant(const char* file, unsigned line, const char* condition, const char* message) {
  throw BrokenInvariant(file, line, condition, message);
}

}  // namespace racksim::sim
