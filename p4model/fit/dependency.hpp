// What a program's tables and gateways touch, and how one depends on another. dependency_graph.hpp has the graph.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "p4model/language/program.hpp"

namespace racksim::p4 {

/// A table application or a gateway, with what it touches.
struct ProgramNode {
  std::string name;  ///< of the table, or "if (...)"
  Gress gress = Gress::ingress;
  const ControlNode* control = nullptr;
  /// The decisions it hangs on, outermost first: node number and branch (true for then or hit).
  std::vector<std::pair<std::size_t, bool>> path;
  std::vector<FieldRef> match_reads;   ///< keys, gateway operands, register indices, hash and stateful ALU inputs
  std::vector<FieldRef> action_reads;  ///< operands of VLIW instructions
  std::vector<FieldRef> writes;
  std::vector<const RegisterArray*> arrays;
  std::vector<const Meter*> meters;
  std::vector<const Counter*> counters;
  std::uint64_t gateways = 0;  ///< that decide its condition (gateway.hpp)
};

enum class DependencyKind : std::uint8_t {
  control,  ///< hangs on the other's decision: same stage or later
  anti,     ///< writes what the other reads (reverse match): same stage or later
  action,   ///< reads in an instruction, or overwrites, what the other writes: a later stage
  match,    ///< matches on, or feeds a stateful ALU or hash with, what the other writes: a later stage
};

struct Dependency {
  DependencyKind kind = DependencyKind::control;
  FieldRef field{};  ///< the cause, for all but control
  bool needs_later_stage() const { return kind == DependencyKind::action || kind == DependencyKind::match; }
};

class DependencyGraph;

/// Whether both are one table, or use one register array, meter or counter, and so must share a stage.
bool share_memory(const ProgramNode& a, const ProgramNode& b);

/// Whether the node uses state that passes change.
inline bool uses_state(const ProgramNode& node) {
  return !node.arrays.empty() || !node.meters.empty() || !node.counters.empty();
}

/// Whether no packet reaches both: they hang on different branches of one decision.
bool mutually_exclusive(const ProgramNode& a, const ProgramNode& b);

}  // namespace racksim::p4
