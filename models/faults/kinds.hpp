// The kinds of faults, one function each; faults.cpp lists them.
#pragma once

#include "models/faults/fault.hpp"

namespace racksim::models {

FaultEntry control_delay_fault();
FaultEntry crash_fault();
FaultEntry down_fault();
FaultEntry drop_fault();
FaultEntry duplicate_fault();
FaultEntry fast_clock_fault();
FaultEntry hold_fault();
FaultEntry nic_stall_fault();
FaultEntry noise_fault();
FaultEntry partition_fault();
FaultEntry slow_core_fault();
FaultEntry switch_restart_fault();

}  // namespace racksim::models
