// The file of a run's operations (`observe.operations`): CSV, or records of 32 bytes if its name ends in ".bin".
//
//   time_ns,node,thread,op,key,size,end_ns,answered_by,in_window
//   0.000,0,0,read,17,4096,1612.500,,1
//
// Either is a trace: what reads traces says what the records are (models/workloads/trace/trace_binary.hpp), of which the
// size is at most 2^32 - 1.
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
