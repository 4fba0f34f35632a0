// The list of workloads. See workload.hpp.
#include "models/workload.hpp"

#include "models/micro_workload.hpp"

namespace racksim::models {

const std::vector<WorkloadEntry>& workloads() {
  static const std::vector<WorkloadEntry> entries{
      {"micro", "8-byte reads and writes by read ratio, locality and sharing ratio (Concordia §7.2)",
       [] { return std::make_shared<MicroOptions>(); }},
  };
  return entries;
}

}  // namespace racksim::models
