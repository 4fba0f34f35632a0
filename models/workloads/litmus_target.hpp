// What a litmus test runs on: the objects of a program in a memory service, each in a block of its own, or in a
// key-value service, each under a key of its own. Objects that a program reads or writes in one call are words of one
// block, which hold numbers in real bytes: so they are told apart where the unit of a value is the block, too.
#pragma once

#include <array>
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
  std::size_t words = 1;      ///< of one call: the object's, and those behind it
};
struct LitmusAnswer {
  std::uint64_t read = 0;     ///< of the first word
  std::uint64_t written = 0;  ///< to the first word, and so on with those behind it; 0 if nothing was
  std::array<std::uint64_t, LitmusProgram::kMostJoined - 1> read_behind{};  ///< of the others

  std::uint64_t read_of(std::size_t word) const { return word == 0 ? read : read_behind[word - 1]; }
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
