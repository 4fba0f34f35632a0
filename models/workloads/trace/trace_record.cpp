// The names of operations. See trace_record.hpp.
#include "models/workloads/trace/trace_record.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace racksim::models {

namespace {

constexpr std::uint8_t kOfServices = 12;
constexpr std::array<std::string_view, kTraceOperations - kOfServices> kOthers = {"get",  "put",   "delete",
                                                                                  "scan", "begin", "commit"};
/// As programs name them.
constexpr std::array<std::pair<std::string_view, TraceOperation>, 4> kAliases = {
    {{"erase", TraceOperation::remove},
     {"lock-shared", TraceOperation::lock_shared},
     {"try-lock-shared", TraceOperation::try_lock_shared},
     {"set", TraceOperation::put}}};

bool same(std::string_view a, std::string_view b) {
  const auto plain = [](char c) {
    if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
    return c == '_' || c == ' ' ? '-' : c;
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return plain(x) == plain(y); });
}

std::string_view name_of(TraceOperation operation) {
  const auto number = static_cast<std::uint8_t>(operation);
  return number < kOfServices ? sim::to_string(static_cast<sim::OperationKind>(number))
                              : kOthers.at(number - kOfServices);
}

}  // namespace

std::string to_string(TraceOperation operation) {
  return std::string(name_of(operation));
}

std::optional<TraceOperation> trace_operation(std::string_view name) {
  for (std::uint8_t number = 0; number < kTraceOperations; ++number) {
    const auto operation = static_cast<TraceOperation>(number);
    if (same(name, name_of(operation))) return operation;
  }
  for (const auto& [alias, operation] : kAliases) {
    if (same(name, alias)) return operation;
  }
  return std::nullopt;
}

std::string trace_operation_names() {
  std::string names;
  for (std::uint8_t number = 0; number < kTraceOperations; ++number) {
    if (number > 0) names += number + 1 == kTraceOperations ? " or " : ", ";
    names += name_of(static_cast<TraceOperation>(number));
  }
  return names;
}

std::optional<sim::OperationKind> kind_of(TraceOperation operation) {
  if (operation == TraceOperation::get) return sim::OperationKind::read;
  if (operation == TraceOperation::put) return sim::OperationKind::write;
  if (operation == TraceOperation::remove) return sim::OperationKind::erase;
  const auto number = static_cast<std::uint8_t>(operation);
  if (number >= kOfServices) return std::nullopt;
  return static_cast<sim::OperationKind>(number);
}

}  // namespace racksim::models
