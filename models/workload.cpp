// The list of workloads. See workload.hpp.
#include "models/workload.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "models/micro_workload.hpp"

namespace racksim::models {

void WorkloadContext::refuse(std::string_view workload, std::string_view wanted) {
  throw std::runtime_error(fmt::format("workload '{}' needs {}, which the protocol does not offer", workload, wanted));
}

const std::vector<WorkloadEntry>& workloads() {
  static const std::vector<WorkloadEntry> entries{
      {"micro", "8-byte reads and writes by read ratio, locality and sharing ratio (Concordia §7.2)",
       [] { return std::make_shared<MicroOptions>(); }},
  };
  return entries;
}

}  // namespace racksim::models
