// One record of a trace, whatever the form of its file: who asked for what, when.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/record/history.hpp"

namespace racksim::models {

/// What a record asks for. The first ones have the numbers of sim::OperationKind, as recordings have them; binary files
/// hold these numbers.
enum class TraceOperation : std::uint8_t {
  read,
  write,
  compare_and_swap,
  fetch_and_add,
  fence,
  lock,
  lock_shared,
  try_lock,
  try_lock_shared,
  unlock,
  allocate,
  free,
  get,  ///< a read, as stores call it; so is `put` a write
  put,
  remove,
  scan,
  begin,
  commit
};
inline constexpr std::uint8_t kTraceOperations = 18;

/// Its name in files: "compare-and-swap", "shared lock", "delete".
std::string to_string(TraceOperation operation);
/// The operation of a name, in capitals or not, with hyphens, underscores or spaces; nothing if there is none.
std::optional<TraceOperation> trace_operation(std::string_view name);
/// The names, as an expectation.
std::string trace_operation_names();
/// What it is to a service; nothing if no service here offers the like.
std::optional<sim::OperationKind> kind_of(TraceOperation operation);

struct TraceRecord {
  std::uint64_t at_ps = 0;  ///< 0 where the trace has no times
  std::uint32_t node = 0, thread = 0;
  TraceOperation operation = TraceOperation::read;
  /// The key as a number if it is one, else its text.
  std::optional<std::uint64_t> key = 0;
  std::string key_text;
  std::uint32_t size = 0;  ///< bytes; 0 if nothing is known. Of a scan: items
  std::string client;      ///< who asked, where the trace names clients
};

/// What the records of a trace can have.
struct TraceContents {
  bool times = false;
  bool sessions = false;  ///< node and thread
  bool clients = false;
  bool numbers = false;  ///< all keys are numbers
};

}  // namespace racksim::models
