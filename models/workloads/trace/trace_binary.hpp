// Traces in records of fixed length, all little-endian: those that recordings write, and libCacheSim's.
//
// Ours (version 1) has a header of 32 bytes, then 32 bytes for each record, in the order of the trace:
//
//   header   "RACKSOPS", version (u32: 1), bytes of a record (u32: 32), records (u64; all ones: up to the file's end),
//            0 (u64)
//   record   time in picoseconds (u64), key (u64), node (u32), thread (u32), size (u32), operation (u8: TraceOperation),
//            0 (3 bytes)
//
// oracle-general, of libCacheSim (its documentation of the format), has 24 bytes for each record and no header: time in
// seconds (u32), object (u64), size (u32), the number of the next request for the object or -1 (i64), which is ignored.
// All are gets.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string_view>

#include "models/workloads/trace/trace_reader.hpp"

namespace racksim::models {

inline constexpr std::string_view kTraceMagic = "RACKSOPS";
inline constexpr std::uint32_t kTraceVersion = 1, kTraceRecordBytes = 32;
inline constexpr std::uint64_t kUntilTheEnd = ~std::uint64_t{0};  ///< instead of the number of records

/// Adds the header.
void append_trace_head(fmt::memory_buffer& out, std::uint64_t records);
/// Adds a record, whose key is a number.
void append_trace_record(fmt::memory_buffer& out, const TraceRecord& record);

std::unique_ptr<TraceReader> open_binary_trace(std::unique_ptr<TraceBytes> bytes);
std::unique_ptr<TraceReader> open_oracle_general(std::unique_ptr<TraceBytes> bytes);

}  // namespace racksim::models
