// What all nodes of a SELCC have in common.
#pragma once

#include <cstdint>
#include <vector>

#include "protocols/line_cache/shared.hpp"
#include "protocols/selcc/counters.hpp"
#include "protocols/selcc/options.hpp"

namespace racksim::selcc {

class ComputeNode;
class Recovery;

/// Lines that follow each other.
struct Region {
  sim::Key first;
  std::uint64_t lines = 0;
};

struct Shared : line_cache::Shared<Options, Counters> {
  std::vector<ComputeNode*> nodes{};  ///< the compute nodes, in their order
  Recovery* recovery = nullptr;       ///< null: a crash stops whoever needs what the node held
};

}  // namespace racksim::selcc
