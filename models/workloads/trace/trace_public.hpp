// Public traces in lines of text.
//
//   twitter   github.com/twitter/cache-trace (Yang, Yue and Rashmi, OSDI 2020), without a header:
//             time in seconds, key, key's bytes, value's bytes, client, operation, time to live. A key may hold commas, so
//             that a line is read from its end. A get of size 0 was a miss.
//   cachelib  Meta's key-value traces, as CacheBench reads them, with a header in either of two forms:
//             key,op,size,op_count,key_size[,...] and op_time,key,key_size,op,op_count,size,cache_hits,ttl[,...]. A line
//             stands for op_count requests.
//   ycsb      what the "basic" binding of YCSB prints as it loads and runs: "INSERT usertable user1 [ field0=... ]", READ,
//             UPDATE, SCAN, DELETE. All other lines, of properties and of statistics, are skipped. There are no times.
#pragma once

#include <memory>
#include <string_view>

#include "models/workloads/trace/trace_reader.hpp"

namespace racksim::models {

/// Whether a first line is CacheLib's header.
bool is_cachelib_header(std::string_view line);

std::unique_ptr<TraceReader> open_twitter(std::unique_ptr<TraceBytes> bytes);
std::unique_ptr<TraceReader> open_cachelib(std::unique_ptr<TraceBytes> bytes);
std::unique_ptr<TraceReader> open_ycsb(std::unique_ptr<TraceBytes> bytes);

}  // namespace racksim::models
