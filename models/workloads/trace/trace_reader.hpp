// Readers of traces: one for each form of file, all behind one face, all streaming.
//
//   csv             a header names the columns, in any order: time_ns, node, thread, op, key, size; others are ignored
//   binary          what recordings write (trace_binary.hpp)
//   columns         any other CSV, by a text that says which column is what (trace_csv.hpp)
//   twitter, cachelib, ycsb, oracle-general    public ones (trace_public.hpp)
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "models/workloads/trace/trace_bytes.hpp"
#include "models/workloads/trace/trace_record.hpp"

namespace racksim::models {

/// `automatic` tells csv, cachelib and binary by their first bytes; the others must be named.
enum class TraceFormat : std::uint8_t { automatic, csv, binary, columns, twitter, cachelib, ycsb, oracle_general };

std::string to_string(TraceFormat format);

class TraceReader {
 public:
  explicit TraceReader(std::unique_ptr<TraceBytes> bytes) : bytes_(std::move(bytes)) {}
  virtual ~TraceReader() = default;
  /// Fills in the next record, always the same object; false at the end. Throws TraceError at what is no record.
  virtual bool next(TraceRecord& record) = 0;
  /// The number of the line or record that was read last, from 1 on.
  virtual std::uint64_t position() const = 0;
  /// "line 17", "record 5".
  virtual std::string place_of(std::uint64_t position) const { return fmt::format("line {}", position); }
  virtual TraceContents contents() const = 0;
  virtual TraceFormat format() const = 0;
  /// How many records there are, where the file tells.
  virtual std::uint64_t records() const { return 0; }
  /// Begins again. Only where `can_rewind`.
  virtual void rewind() = 0;
  bool can_rewind() const { return bytes_->length().has_value(); }
  const std::string& file() const { return bytes_->file(); }

 protected:
  TraceBytes& bytes() { return *bytes_; }
  const TraceBytes& bytes() const { return *bytes_; }
  /// Refuses what was read last.
  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const;

 private:
  std::unique_ptr<TraceBytes> bytes_;
};

}  // namespace racksim::models
