// What the home of lines has beside their entries (entry.hpp): what goes on under which number, the counters of
// ownerships, and the write-backs that have landed.
#pragma once

#include <utility>
#include <vector>

#include "protocols/gam/channels/output.hpp"
#include "protocols/gam/rules/numbers.hpp"
#include "protocols/gam/rules/shared.hpp"
#include "sim/record/flat_map.hpp"

namespace racksim::gam {

struct Home {
  Shared& shared;
  Output& output;
  Numbers transactions{};
  sim::FlatMap<std::uint32_t> counters{};                   ///< of ownerships, by line, with logging
  std::vector<std::vector<models::Content>> write_backs{};  ///< by peer and buffer

  NodeId self() const { return output.self(); }
  /// The counter under which the home itself writes.
  std::uint32_t counter_of(sim::Key line) const {
    const std::uint32_t* counter = counters.find(line);
    return counter == nullptr ? 0 : *counter;
  }
  /// OLOG: the line has a new owner. Returns the counter of the ownership; 0 without logging.
  std::uint32_t log_owner(sim::Key line, NodeId owner) {
    if (!output.log().is_on()) return 0;
    const std::uint32_t counter = ++counters[line];
    output.log().log_owner(line, owner, counter);
    return counter;
  }
  /// What a WRITE_BACK has brought, into memory, where it is already if it was one-sided.
  void take_written_back(const Message& message) {
    if (shared.options.write_back == WriteBack::one_sided) return;
    const models::Content landed = std::exchange(write_backs[message.sender][message.frame], {});
    shared.memory_of(self()).write(shared.offset_of(message.line), landed.bytes().subspan(sizeof(WriteBackHeader)));
  }
};

}  // namespace racksim::gam
