// Names of verbs and of their ends. See verbs.hpp.
#include "models/nic/verbs.hpp"

namespace racksim::models {

std::string_view name_of(Opcode opcode) {
  switch (opcode) {
    case Opcode::send:
      return "SEND";
    case Opcode::send_imm:
      return "SEND_WITH_IMM";
    case Opcode::write:
      return "WRITE";
    case Opcode::write_imm:
      return "WRITE_WITH_IMM";
    case Opcode::read:
      return "READ";
    case Opcode::compare_swap:
      return "CAS";
    case Opcode::fetch_add:
      return "FAA";
    case Opcode::receive:
      return "RECV";
  }
  return "?";
}

std::string_view name_of(Status status) {
  switch (status) {
    case Status::success:
      return "success";
    case Status::local_length_error:
      return "local length error";
    case Status::local_operation_error:
      return "local queue pair operation error";
    case Status::flushed:
      return "work request flushed";
    case Status::remote_invalid_request:
      return "remote invalid request error";
    case Status::remote_access_error:
      return "remote access error";
    case Status::retries_exceeded:
      return "transport retry counter exceeded";
    case Status::rnr_retries_exceeded:
      return "RNR retry counter exceeded";
    case Status::queue_full:
      return "the send queue is full";
  }
  return "?";
}

}  // namespace racksim::models
