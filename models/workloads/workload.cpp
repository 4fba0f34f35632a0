// The list of workloads. See workload.hpp.
#include "models/workloads/workload.hpp"

#include <fmt/core.h>

#include <stdexcept>

#include "models/workloads/key_value_workload.hpp"
#include "models/workloads/litmus_workload.hpp"
#include "models/workloads/micro_workload.hpp"

namespace racksim::models {

void WorkloadContext::refuse(std::string_view workload, std::string_view wanted) {
  throw std::runtime_error(fmt::format("workload '{}' needs {}, which the protocol does not offer", workload, wanted));
}

const std::vector<WorkloadEntry>& workloads() {
  static const std::vector<WorkloadEntry> entries{
      {"key-value", "gets and puts of a key-value store in open loop, with Zipf popularity and hot-in (StarCache §5.1)",
       [] { return std::make_shared<KeyValueOptions>(); }},
      {"litmus", "a litmus test of a memory model, repeated with shifted starts, its outcomes counted and judged",
       [] { return std::make_shared<LitmusOptions>(); }},
      {"micro",
       "reads, writes and locks by read, remote and sharing ratio and locality (Concordia §7.2, GAM §7.1, SELCC §7.1)",
       [] { return std::make_shared<MicroOptions>(); }},
  };
  return entries;
}

}  // namespace racksim::models
