// What nodes ask each other: calls over reliable connections, a struct each.
#pragma once

#include <cstdint>

#include "models/service/memory_service.hpp"

namespace racksim::write_through {

enum class Opcode : std::uint8_t { read, write, swap, add, lock, try_lock, unlock, allocate, free, invalidate };

struct Request {
  Opcode opcode = Opcode::read;
  models::LockMode mode = models::LockMode::exclusive;
  sim::Key block = 0;         ///< of `allocate` the bytes
  sim::Value value = 0;       ///< to write or to add
  sim::Value expected = 0;    ///< of `swap`
  models::Session session{};  ///< of `lock`, `try_lock` and `unlock`: whose lock it is
  std::uint32_t incarnation = 0;
};

struct Reply {
  sim::Value value = 0;  ///< read, or what was there before; of `allocate` the address
  bool granted = true;   ///< of `try_lock`
};

}  // namespace racksim::write_through
