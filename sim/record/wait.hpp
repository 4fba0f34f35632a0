// That somebody waits, for those who ask why a run stands still. In words: nobody reads it but a person.
#pragma once

#include <string>

namespace racksim::sim {

struct Wait {
  std::string who;   ///< "node0/thread1", "queue pair 65536 of node2", "node1/core3"
  std::string whom;  ///< somebody who may wait himself, named alike; empty if that is not known
  std::string why;   ///< "lock of 0x40, since 12.3 ns"
};

}  // namespace racksim::sim
