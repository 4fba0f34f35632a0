// See operation_file.hpp.
#include "tools/recording/operation_file.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <ostream>

#include "models/workloads/trace/trace_binary.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::tools {
namespace {

/// Nanoseconds to the picosecond: "12.500".
void append_ns(fmt::memory_buffer& out, sim::Time at) {
  fmt::format_to(std::back_inserter(out), "{}.{:03}", at.ps() / 1000, at.ps() % 1000);
}

}  // namespace

void append_line(fmt::memory_buffer& out, const OperationRow& row) {
  append_ns(out, row.begun);
  fmt::format_to(std::back_inserter(out), ",{},{},{},{},{},", row.session.node, row.session.thread,
                 sim::to_string(row.kind), row.key, row.bytes);
  if (row.ended) append_ns(out, *row.ended);
  fmt::format_to(std::back_inserter(out), ",{},{}\n", row.answered_by, row.in_window ? 1 : 0);
}

void append_record(fmt::memory_buffer& out, const OperationRow& row) {
  models::TraceRecord record;
  record.at_ps = static_cast<std::uint64_t>(row.begun.ps());
  record.key = row.key.number();
  record.node = row.session.node;
  record.thread = row.session.thread;
  record.size =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(row.bytes, std::numeric_limits<std::uint32_t>::max()));
  record.operation = static_cast<models::TraceOperation>(row.kind);
  models::append_trace_record(out, record);
}

OperationFile::OperationFile(const std::filesystem::path& file, const JsonLocation& asked,
                             const models::Service& service, const sim::Metrics& metrics)
    : binary_(file.extension() == ".bin"),
      file_(file, asked.file, asked.pointer),
      room_(file, "a shorter run has fewer operations"),
      rows_(service, metrics, !binary_, [this](const OperationRow& row) { write(row); }) {
  if (binary_) {
    write_head(models::kUntilTheEnd);
  } else {
    file_.stream() << kHeader;
  }
}

void OperationFile::write_head(std::uint64_t records) {
  fmt::memory_buffer head;
  models::append_trace_head(head, records);
  file_.stream().write(head.data(), static_cast<std::streamsize>(head.size()));
}

void OperationFile::write(const OperationRow& row) {
  line_.clear();
  if (binary_) {
    append_record(line_, row);
  } else {
    append_line(line_, row);
  }
  file_.stream().write(line_.data(), static_cast<std::streamsize>(line_.size()));
  ++written_;
  room_.written(!file_.stream(), [&] { return sim::printed(row.begun); });
}

void OperationFile::keep() {
  rows_.finish();
  // What is no regular file, such as a pipe, cannot be gone back in.
  if (binary_ && !file_.draft().empty()) {
    file_.stream().seekp(0);
    write_head(written_);
  }
  file_.keep();
}

}  // namespace racksim::tools
