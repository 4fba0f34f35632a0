// Writes a trace in another form: as records if the file's name ends in ".bin" (models/workloads/trace/trace_binary.hpp),
// else as CSV with the columns time_ns, node, thread, op, key and size. There and back the bytes are the same.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>

#include "models/workloads/trace/trace_keys.hpp"
#include "models/workloads/trace/trace_reader.hpp"

namespace racksim::tools {

struct ConversionOptions {
  models::TraceKeying keys = models::TraceKeying::given;
  std::uint64_t key_space = 10'000'000;  ///< as the option of the workload: for keys that are hashed or numbered
  /// Of a trace without nodes and threads: records are dealt out to so many, by a hash of their client, or in turn.
  std::uint64_t nodes = 1, threads = 1;
};

/// Returns the number of records. Throws models::TraceError, InputError if the file can not be written there, and
/// OutputError when the disk is full.
std::uint64_t convert_trace(models::TraceReader& reader, const std::filesystem::path& file,
                            const ConversionOptions& options);

/// Adds a line of CSV, of a record whose key is a number.
void append_trace_line(fmt::memory_buffer& out, const models::TraceRecord& record);

}  // namespace racksim::tools
