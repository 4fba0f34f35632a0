#include "sim/checkers/operation.hpp"

#include <fmt/core.h>

#include <stdexcept>

#include "sim/oracles/oracle.hpp"

namespace racksim::sim::checkers {
namespace {

std::string asked(const Operation& operation) {
  switch (operation.action) {
    case Action::read:
      return fmt::format("read of key {}", operation.key);
    case Action::write:
      return fmt::format("write of {} to key {}", operation.argument, operation.key);
    case Action::compare_and_swap:
      return fmt::format("compare-and-swap of key {} from {} to {}", operation.key, operation.expected,
                         operation.argument);
    case Action::fetch_and_add:
      return fmt::format("fetch-and-add of {} to key {}", operation.argument, operation.key);
    case Action::lock:
      return fmt::format("exclusive lock of key {}", operation.key);
    case Action::lock_shared:
      return fmt::format("shared lock of key {}", operation.key);
    case Action::unlock:
      return fmt::format("unlock of key {}", operation.key);
    case Action::fence:
      return "fence";
  }
  throw std::invalid_argument(fmt::format("{} is no action", static_cast<int>(operation.action)));
}

bool has_result(Action action) {
  return action == Action::read || action == Action::compare_and_swap || action == Action::fetch_and_add;
}

}  // namespace

void require_history(Operations operations) {
  std::uint64_t last = 0;
  for (const auto& operation : operations) {
    if (operation.invoked <= last || operation.responded <= operation.invoked) {
      throw std::invalid_argument(fmt::format(
          "operation {} was invoked at position {} and returned at position {}, after one invoked at position {}; a "
          "history is ordered by invocation, and operations return after they were invoked",
          operation.id, operation.invoked, operation.responded, last));
    }
    last = operation.invoked;
  }
}

std::string described(const Operation& operation, const SessionNames& names) {
  auto text = fmt::format("{} by {} #{}", asked(operation), names(operation.session), number_in_session(operation.id));
  if (operation.pending()) return text + fmt::format(", pending since {}", printed(operation.invoked_at));
  if (has_result(operation.action)) text += fmt::format(", which returned {}", operation.result);
  return text + fmt::format(" ({} to {})", printed(operation.invoked_at), printed(operation.responded_at));
}

}  // namespace racksim::sim::checkers
