// Runs of SELCC (tests/protocols/disaggregated_run.hpp), with caches that must evict.
#pragma once

#include <cstdint>
#include <string>

#include "protocols/selcc/selcc.hpp"
#include "tests/protocols/disaggregated_run.hpp"
#include "tests/protocols/verbs.hpp"

namespace racksim::selcc::testing {

using racksim::testing::Verbs;
using namespace sim::literals;

struct Setup : racksim::testing::DisaggregatedSetup {
  Options selcc;

  Setup() {
    selcc.line_bytes = kLineBytes;
    selcc.cache_bytes = 16 * kLineBytes;
    selcc.shards = 1;
  }
};

/// With the micro benchmark.
class SelccRun : public racksim::testing::DisaggregatedRun {
 public:
  explicit SelccRun(const Setup& s, Work work = Work::micro)
      : DisaggregatedRun(s, tools::bound<models::ProtocolOptions>("selcc", s.selcc), work),
        setup(s),
        protocol(&dynamic_cast<Selcc&>(running_protocol())) {}

  /// The value of one of SELCC's counters.
  std::uint64_t counter(const std::string& name) const { return ProtocolRun::counter("selcc." + name); }

  LatchWord word(std::uint64_t i) const { return protocol->memory_servers().word_of(key(i)); }
  FrameState state(NodeId node, std::uint64_t i) {
    const Frame* frame = protocol->node(node).cache().find(key(i));
    return frame == nullptr ? FrameState::absent : frame->state;
  }

  const Setup setup;
  Selcc* const protocol;
};

/// By a script, on lines that all nodes share.
class SelccScript : public SelccRun {
 public:
  explicit SelccScript(const Setup& s) : SelccRun(s, Work::script) {}
};

}  // namespace racksim::selcc::testing
