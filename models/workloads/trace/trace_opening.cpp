// Which reader a file has. See trace_opening.hpp.
#include "models/workloads/trace/trace_opening.hpp"

#include <utility>

#include "models/workloads/trace/trace_binary.hpp"
#include "models/workloads/trace/trace_csv.hpp"
#include "models/workloads/trace/trace_error.hpp"
#include "models/workloads/trace/trace_public.hpp"

namespace racksim::models {

namespace {

TraceFormat told_by(TraceBytes& bytes) {
  if (bytes.peek(kTraceMagic.size()) == kTraceMagic) return TraceFormat::binary;
  const std::string_view head = bytes.peek(4096);
  const std::string_view first = head.substr(0, head.find('\n'));
  if (is_cachelib_header(first)) return TraceFormat::cachelib;
  if (is_trace_header(first)) return TraceFormat::csv;
  if (head.empty()) throw TraceError(bytes.file(), "", "nothing", "a trace");
  throw TraceError(
      bytes.file(), "line 1", "no header of a trace",
      "\"op\" and \"key\" among the columns of a CSV file, a binary trace, or the option \"format\": twitter, "
      "ycsb, oracle-general or columns");
}

}  // namespace

std::unique_ptr<TraceReader> open_trace(const std::string& file, TraceFormat format, const std::string& columns) {
  auto bytes = std::make_unique<TraceBytes>(file);
  if (format == TraceFormat::automatic) format = told_by(*bytes);
  switch (format) {
    case TraceFormat::binary:
      return open_binary_trace(std::move(bytes));
    case TraceFormat::oracle_general:
      return open_oracle_general(std::move(bytes));
    case TraceFormat::twitter:
      return open_twitter(std::move(bytes));
    case TraceFormat::cachelib:
      return open_cachelib(std::move(bytes));
    case TraceFormat::ycsb:
      return open_ycsb(std::move(bytes));
    case TraceFormat::columns:
      return open_columns(std::move(bytes), columns);
    default:
      return open_csv_trace(std::move(bytes));
  }
}

}  // namespace racksim::models
