// Control flow: an ordered tree of table applications and gateways.
#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "p4model/language/field.hpp"
#include "p4model/language/table.hpp"

namespace racksim::p4 {

class Program;
struct ControlNode;

/// A sequence of applications and gateways.
class Block {
 public:
  Block(Program& program) : program_(&program) {}
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  /// Applies a table; `.on_hit(...)` and `.on_miss(...)` take what follows its lookup. It may be applied in branches that
  /// exclude each other, if nothing hangs on its lookup.
  ControlNode& apply(Table& table);
  /// Runs an action on every packet that comes here, as a table without key named after it.
  ControlNode& apply(Action& action);
  /// A gateway: `.then([&](Block& block) {...}).else_([&](Block& block) {...})`.
  ControlNode& if_(Condition condition);

  const std::deque<ControlNode>& nodes() const { return nodes_; }

 private:
  Program* program_;
  std::deque<ControlNode> nodes_;
};

/// A gateway or the application of a table, and the blocks that depend on its outcome.
struct ControlNode {
  explicit ControlNode(Program& program) : yes(program), no(program) {}

  template <class Fill>
  ControlNode& then(Fill&& fill) {
    fill(yes);
    return *this;
  }
  template <class Fill>
  ControlNode& else_(Fill&& fill) {
    fill(no);
    return *this;
  }
  template <class Fill>
  ControlNode& on_hit(Fill&& fill) {
    return then(fill);
  }
  template <class Fill>
  ControlNode& on_miss(Fill&& fill) {
    return else_(fill);
  }

  /// Lets the condition take several gateways where it is too wide for one or has too many rows; else it is refused.
  ControlNode& split() {
    splits = true;
    return *this;
  }

  Table* table = nullptr;              ///< set for an application
  std::optional<Condition> condition;  ///< set for a gateway
  bool splits = false;                 ///< over several gateways, if need be
  Block yes, no;                       ///< then and else, or hit and miss
};

}  // namespace racksim::p4
