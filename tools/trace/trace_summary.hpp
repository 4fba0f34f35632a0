// What is in a trace, for those who want to know before they replay it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "models/workloads/trace/trace_reader.hpp"
#include "tools/json/json_document.hpp"

namespace racksim::tools {

struct TraceSummary {
  std::string file;
  models::TraceFormat format{};
  models::TraceContents contents;
  std::uint64_t records = 0;
  std::uint64_t first_ps = 0, last_ps = 0;       ///< the least and the greatest time
  std::uint64_t out_of_order = 0;                ///< records with a time before that of the record before
  std::uint32_t last_node = 0, last_thread = 0;  ///< the greatest
  std::array<std::uint64_t, models::kTraceOperations> operations{};
  std::uint64_t keys = 0;                     ///< different ones, told apart by 64 bits of hash
  std::uint64_t texts = 0;                    ///< records whose key is no number
  std::optional<std::uint64_t> greatest_key;  ///< of those that are numbers
  std::uint64_t bytes = 0;                    ///< all sizes together
  std::uint32_t largest = 0;
};

/// Reads all of it. Memory: 32 to 64 bytes a key. Throws models::TraceError.
TraceSummary trace_summary(models::TraceReader& reader);

std::string trace_summary_text(const TraceSummary& summary);
JsonValue trace_summary_json(const TraceSummary& summary);

}  // namespace racksim::tools
