// What a workload needs of its protocol. See workload.hpp.
#include "models/workloads/workload.hpp"

#include <fmt/core.h>

#include "sim/options/option_error.hpp"

namespace racksim::models {

void WorkloadContext::refuse(std::string_view workload, std::string_view wanted) {
  throw sim::OptionError("kind", fmt::format("\"{}\", which needs {}", workload, wanted),
                         "a workload for what the protocol offers");
}

}  // namespace racksim::models
