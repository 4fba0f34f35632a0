// Which instruction does what an action asks for. See code.hpp.
#include "p4model/execute/code.hpp"

namespace racksim::p4 {

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
