// Parts of a program's code that stand alone: hashes, the terms of gateways, and which instruction does what an action
// asks for. See code.hpp.
#include "p4model/execute/code.hpp"

namespace racksim::p4 {

namespace {

/// Adds the terms of `node` and returns the number of the first. Terms are added last to first, so that where to go
/// next is known.
std::int32_t add_terms(const Condition::Node& node, std::int32_t if_true, std::int32_t if_false,
                       const std::function<std::uint16_t(std::uint64_t)>& constant, std::vector<GatewayTerm>& gateway) {
  using Operator = Condition::Node::Operator;
  const auto add = [&](const Condition::Node& part, std::int32_t yes, std::int32_t no) {
    return add_terms(part, yes, no, constant, gateway);
  };
  switch (node.op) {
    case Operator::conjunction:
      return add(*node.first, add(*node.second, if_true, if_false), if_false);
    case Operator::disjunction:
      return add(*node.first, if_true, add(*node.second, if_true, if_false));
    case Operator::negation:
      return add(*node.first, if_false, if_true);
    case Operator::compare:
      break;
  }
  const bool field = node.right.source == Operand::Source::field;
  gateway.push_back({.left = node.left.id,
                     .right = field ? node.right.field().id : constant(node.right.value),
                     .outcomes = static_cast<std::uint8_t>(outcomes_of(node.comparison)),
                     .if_true = if_true,
                     .if_false = if_false});
  return static_cast<std::int32_t>(gateway.size()) - 1;
}

}  // namespace

std::vector<GatewayTerm> gateway_terms(const Condition& condition,
                                       const std::function<std::uint16_t(std::uint64_t)>& constant) {
  std::vector<GatewayTerm> terms;
  add_terms(condition.root(), GatewayTerm::kThen, GatewayTerm::kElse, constant, terms);
  return terms;
}

HashCode compile(const HashUnit& hash, const Program& program) {
  std::vector<HashCode::Byte> bytes;
  for (const auto field : hash.fields) {
    for (auto left = (program.info(field).bits + 7) / 8; left-- > 0;) {
      bytes.push_back({field.id, static_cast<std::uint8_t>(8 * left)});
    }
  }
  CrcTables tables(hash.kind, bytes.size());
  return {std::move(bytes), std::move(tables), static_cast<std::uint32_t>(mask_of(hash.bits))};
}

Opcode opcode_of(VliwOperation operation) {
  switch (operation) {
    case VliwOperation::set:
    case VliwOperation::invalidate:
      return Opcode::set;
    case VliwOperation::add:
      return Opcode::add;
    case VliwOperation::sub:
      return Opcode::sub;
    case VliwOperation::bit_and:
      return Opcode::bit_and;
    case VliwOperation::bit_or:
      return Opcode::bit_or;
    case VliwOperation::bit_xor:
      return Opcode::bit_xor;
    case VliwOperation::bit_not:
      return Opcode::bit_not;
    case VliwOperation::shift_left:
      return Opcode::shift_left;
    case VliwOperation::shift_right:
      return Opcode::shift_right;
    case VliwOperation::min:
      return Opcode::min;
    case VliwOperation::max:
      return Opcode::max;
    case VliwOperation::random:
      return Opcode::random;
  }
  return Opcode::set;
}

}  // namespace racksim::p4
