// Pieces of memory for a thread that stores real bytes, smaller than what a memory service gives: FlowCC has pieces of its own,
// but GAM, SELCC, SEL and the RPC directory give whole lines, and SELCC frees no line that anybody has cached.
//
// The thread takes chunks of the service and carves them, so that few allocations are calls. Pieces have sizes of powers
// of two and lie at multiples of their size: none lies over the end of a line. What a thread frees it uses again, the
// last one first, whoever had allocated it; no chunk goes back. (As size classes in jemalloc: Evans, "A Scalable
// Concurrent malloc(3) Implementation for FreeBSD", BSDCan 2006.)
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "models/service/memory_service.hpp"
#include "sim/kernel/task.hpp"

namespace racksim::models {

class Heap {
 public:
  static constexpr std::uint64_t kLeastPiece = 16;
  static constexpr std::uint64_t kLeastChunk = 64 * 1024;

  Heap(MemoryService& memory, Session session) : memory_(memory), session_(session) {}

  /// A piece of at least so many bytes. Chunks come from the thread's own node, if that holds memory. Throws
  /// std::bad_alloc if no memory node has room, and Unavailable.
  sim::Task<GlobalAddress> allocate(std::uint64_t bytes);
  /// A piece of so many bytes, which some thread's heap has given, is this one's from now on.
  void free(GlobalAddress piece, std::uint64_t bytes);
  /// Memory that no heap has given is this one's from now on: so many bytes in one line, or whole lines. Less than the
  /// smallest piece is nobody's.
  void adopt(GlobalAddress memory, std::uint64_t bytes);
  /// Its thread has died, and with it what it had freed.
  void forget();

  /// The size of a piece of so many bytes, at least one.
  static std::uint64_t size_of(std::uint64_t bytes);

 private:
  MemoryService& memory_;
  Session session_;
  std::map<std::uint64_t, std::vector<GlobalAddress>> free_;  // by size
  GlobalAddress next_;                                        // of the chunk that is carved
  std::uint64_t left_ = 0;                                    // bytes there
};

}  // namespace racksim::models
