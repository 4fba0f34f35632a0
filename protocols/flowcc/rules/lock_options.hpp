// The options of block locks (block_locks.hpp).
#pragma once

#include <cstdint>

#include "sim/options/parameters.hpp"

namespace racksim::flowcc {

struct LockOptions {
  std::uint64_t per_thread = 64;
  std::uint64_t local_handover = 0;

  void declare(sim::Parameters& p) {
    p.integer("per_thread", per_thread, 1, 4096,
              "locks of blocks that a thread can hold at once: each has lock scores of its own in the switch (a TPC-C "
              "NewOrder may hold 50)")
        .varied({1, 2, 64})
        .neutral(64);
    p.integer("local_handover", local_handover, 0, 1'000'000,
              "times in a row that a node hands a lock over to a thread of its own that waits, before others get a "
              "chance; 0: never")
        .varied({0, 1, 8})
        .neutral(0);
  }
};

}  // namespace racksim::flowcc
