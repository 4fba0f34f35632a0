// Runs of the RPC directory (tests/protocols/disaggregated_run.hpp), with caches that must evict.
#pragma once

#include <string>

#include "protocols/rpc_directory/rpc_directory.hpp"
#include "tests/protocols/disaggregated_run.hpp"
#include "tests/protocols/verbs.hpp"

namespace racksim::rpc_directory::testing {

using racksim::testing::Verbs;
using namespace sim::literals;

struct Setup : racksim::testing::DisaggregatedSetup {
  Options options;

  Setup() {
    options.line_bytes = kLineBytes;
    options.cache_bytes = 16 * kLineBytes;
    options.shards = 1;
  }
};

class Run : public racksim::testing::DisaggregatedRun {
 public:
  explicit Run(const Setup& s, Work work = Work::micro)
      : DisaggregatedRun(s, tools::bound<models::ProtocolOptions>("rpc-directory", s.options), work),
        protocol(dynamic_cast<RpcDirectory&>(running_protocol())) {}

  std::uint64_t counter(const std::string& name) const { return ProtocolRun::counter("rpc_directory." + name); }

  LineState state(NodeId node, std::uint64_t i) const {
    const Frame* frame = protocol.node(node).cache().find(key(i));
    return frame == nullptr ? LineState::absent : frame->state;
  }
  DirectoryState home(std::uint64_t i) const {
    const Entry* entry = protocol.directory_of(key(i)).find(key(i));
    return entry == nullptr ? DirectoryState::uncached : entry->state;
  }

  RpcDirectory& protocol;
};

/// By a script.
class Script : public Run {
 public:
  explicit Script(const Setup& s) : Run(s, Work::script) {}
};

}  // namespace racksim::rpc_directory::testing
