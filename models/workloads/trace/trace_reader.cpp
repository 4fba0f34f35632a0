// See trace_reader.hpp.
#include "models/workloads/trace/trace_reader.hpp"

#include "models/workloads/trace/trace_error.hpp"

namespace racksim::models {

std::string to_string(TraceFormat format) {
  constexpr const char* kNames[] = {"auto",    "csv",      "binary", "columns",
                                    "twitter", "cachelib", "ycsb",   "oracle-general"};
  return kNames[static_cast<std::size_t>(format)];
}

void TraceReader::refuse(const std::string& found, const std::string& expected) const {
  throw TraceError(file(), place_of(position()), found, expected);
}

}  // namespace racksim::models
