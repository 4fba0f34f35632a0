// What the operations of each mode of the micro benchmark do, and ask of the service (micro_workload.hpp).
#pragma once

#include "models/service/operation_set.hpp"
#include "models/workloads/micro_workload.hpp"

namespace racksim::models {

/// Reads and writes need no asking: every service offers them.
inline OperationSet needed_by(MicroOptions::Mode mode) {
  if (mode == MicroOptions::Mode::access) return {};
  if (mode == MicroOptions::Mode::mixed) {
    return {sim::OperationKind::compare_and_swap,
            sim::OperationKind::fetch_and_add,
            sim::OperationKind::lock,
            sim::OperationKind::lock_shared,
            sim::OperationKind::try_lock,
            sim::OperationKind::try_lock_shared,
            sim::OperationKind::unlock};
  }
  if (mode == MicroOptions::Mode::tried) return kLocks;
  if (mode == MicroOptions::Mode::try_lock || mode == MicroOptions::Mode::try_lock_and_access) {
    return {sim::OperationKind::try_lock, sim::OperationKind::try_lock_shared, sim::OperationKind::unlock};
  }
  return {sim::OperationKind::lock, sim::OperationKind::lock_shared, sim::OperationKind::unlock};
}

inline bool accesses(MicroOptions::Mode mode) {
  return mode != MicroOptions::Mode::lock && mode != MicroOptions::Mode::try_lock;
}
inline bool locks(MicroOptions::Mode mode) {
  return mode != MicroOptions::Mode::access;
}
inline bool tries(MicroOptions::Mode mode) {
  return mode == MicroOptions::Mode::try_lock || mode == MicroOptions::Mode::try_lock_and_access;
}

}  // namespace racksim::models
