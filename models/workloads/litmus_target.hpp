// What a litmus test runs on: the objects of a program in a memory service, each in a block of its own, or in a
// key-value service, each under a key of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "models/service/operation_set.hpp"
#include "models/service/service.hpp"
#include "models/workloads/litmus_program.hpp"
#include "models/workloads/workload.hpp"
#include "sim/kernel/task.hpp"

namespace racksim::models {

/// One operation of a session, in the service's own values.
struct LitmusRequest {
  sim::OperationKind kind{};
  std::size_t object = 0;
  std::uint64_t operand = 0;  ///< what compare-and-swap expects, or fetch-and-add adds
};
struct LitmusAnswer {
  std::uint64_t read = 0;
  std::uint64_t written = 0;  ///< 0 if nothing was
};

class LitmusTarget {
 public:
  virtual ~LitmusTarget() = default;
  /// Nodes on which sessions may run: the first ones.
  virtual unsigned session_nodes() const = 0;
  virtual OperationSet offers() const = 0;
  /// Throws sim::OptionError if sessions may not hold so many locks at once.
  virtual void require_locks(std::uint64_t locks) const = 0;
  /// As histories name it.
  virtual sim::Key key_of(std::size_t object) const = 0;
  /// Before the run.
  virtual void warm_up() = 0;
  /// Nothing if the service has given it up. A fence where there is none to ask for ends at once.
  virtual sim::Task<std::optional<LitmusAnswer>> perform(Session session, LitmusRequest request) = 0;
};

/// On the protocol's service. Throws std::runtime_error when that is neither a memory nor a key-value service, or
/// cannot have the program's objects where the program wants them.
std::unique_ptr<LitmusTarget> litmus_target(WorkloadContext& context, const LitmusProgram& program);

}  // namespace racksim::models
