// The options of block locks (block_locks.hpp).
#pragma once

#include <cstdint>

#include "sim/options/parameters.hpp"

namespace racksim::flowcc {

struct LockOptions {
  std::uint64_t per_thread = 64;
  std::uint64_t local_handover = 0;
  /// Off: nobody knows whose locks a recovery has freed.
  bool log = true;

  void declare(sim::Parameters& p) {
    p.integer("per_thread", per_thread, 1, 4096,
              "locks of blocks that a thread can hold at once: each has lock scores of its own in the switch")
        .estimate("our choice: a TPC-C NewOrder may hold 50")
        .varied({1, 2, 64})
        .neutral(64);
    p.integer("local_handover", local_handover, 0, 1'000'000,
              "times in a row that a node hands a lock over to a thread of its own that waits, before others get a "
              "chance; 0: never")
        .estimate("our choice: the paper tells of none")
        .varied({0, 1, 8})
        .neutral(0);
    p.flag(
         "log", log,
         "where nodes recover, a granted lock is written to a log that another node keeps, before the application has "
         "it: by that whoever gets the lock of a dead thread next is told")
        .neutral(true)
        .guards("who gets the lock of a dead thread is not told that what it protects may be half done",
                "flowcc/applications.json/locks-without-log");
  }
};

}  // namespace racksim::flowcc
