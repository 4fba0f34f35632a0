// The file of a run's operations (`observe.operations`): CSV, or records of 32 bytes if its name ends in ".bin".
//
//   time_ns,node,thread,op,key,size,end_ns,answered_by,in_window
//   0.000,0,0,read,17,4096,1612.500,,1
//
// Records: a header of 32 bytes, then one record for each operation, in the order of their begins; all little-endian.
//
//   header   "RACKSOPS", version (u32: 1), bytes of a record (u32: 32), records (u64; all ones: up to the file's end),
//            0 (u64)
//   record   begin in picoseconds (u64), key (u64), node (u32), thread (u32), size (u32, at most 2^32 - 1), op (u8:
//            sim::OperationKind), 0 (3 bytes)
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>

#include "tools/files/disk_room.hpp"
#include "tools/files/write_file.hpp"
#include "tools/json/input_error.hpp"
#include "tools/recording/operation_rows.hpp"

namespace racksim::tools {

/// Adds a row as a line of CSV.
void append_line(fmt::memory_buffer& out, const OperationRow& row);
/// Adds a row as a record.
void append_record(fmt::memory_buffer& out, const OperationRow& row);

class OperationFile {
 public:
  static constexpr const char* kHeader = "time_ns,node,thread,op,key,size,end_ns,answered_by,in_window\n";
  static constexpr std::uint64_t kUntilTheEnd = ~std::uint64_t{0};  ///< instead of the number of records

  /// Begins a draft of the file. Attach `rows` to the event log and the service. Throws InputError at `asked` if there
  /// can be no such file; rows throw OutputError when the disk is full, or nearly.
  OperationFile(const std::filesystem::path& file, const JsonLocation& asked, const models::Service& service,
                const sim::Metrics& metrics);

  OperationRows& rows() { return rows_; }
  /// The run is over: gives the file its name. Throws OutputError if not all could be written.
  void keep();

 private:
  void write(const OperationRow& row);
  void write_head(std::uint64_t records);

  bool binary_;
  DraftFile file_;
  DiskRoom room_;
  OperationRows rows_;
  std::uint64_t written_ = 0;
  fmt::memory_buffer line_;
};

}  // namespace racksim::tools
