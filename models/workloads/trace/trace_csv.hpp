// Traces in comma-separated columns with a header: our own, and any other by a text that says which column is what.
//
//   time_ns,node,thread,op,key,size
//   0.000,0,0,read,17,4096
//
// Times are nanoseconds from time zero on, to the picosecond. What recordings add (end_ns, answered_by, in_window) is
// ignored. Fields may stand in double quotes.
//
// The text for others is a list like "time_us=ts op=verb key=object_id size=bytes client=host". The roles are time_s,
// time_ms, time_us, time_ns, node, thread, op, key, size, client and count, which repeats a line; the columns are named
// by the header or, all of them, by numbers from 1 on, of a file without one. Without `op` all are gets. Times count
// from the first record on.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/workloads/trace/trace_reader.hpp"

namespace racksim::models {

/// Whether a first line names columns of ours: `op` and `key` at least.
bool is_trace_header(std::string_view line);

/// Puts the fields of a line into `fields`, those in quotes without them.
void split_fields(std::string_view line, std::vector<std::string_view>& fields);

std::unique_ptr<TraceReader> open_csv_trace(std::unique_ptr<TraceBytes> bytes);
/// Throws sim::OptionError at "columns" for a text that is no such list.
std::unique_ptr<TraceReader> open_columns(std::unique_ptr<TraceBytes> bytes, const std::string& columns);

}  // namespace racksim::models
