// Replays a trace: what others have recorded, or a run of our own (observe.operations), on whichever service the protocol
// offers, a key-value store or a memory, or on a store that stands on that memory, which is empty at first.
//
// The file is read while the run lasts, in bounded memory, also from a pipe; a file that can be read twice is checked from
// its first record to its last before the run. What is wrong in the middle of a pipe ends the run.
//
// A session begins its records in their order. Closed loop: each when the one before has ended, whatever their times. To
// keep the sessions that are ahead supplied the file is read up to 65536 records beyond what a slow one has begun, and no
// further: then those ahead wait. Open loop: each at its time, times `time_scale`, whether or not earlier ones have ended;
// but on a memory, where a session does one operation at a time, it waits for its turn, and with 65536 waiting the clock
// of the trace waits too. The first record that is replayed comes at time zero.
//
// A node that is down issues nothing: its records are dropped and counted, until it is back.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/store/store_options.hpp"
#include "models/workloads/trace/trace_keys.hpp"
#include "models/workloads/trace/trace_reader.hpp"
#include "models/workloads/workload.hpp"

namespace racksim::models {

struct TraceOptions final : WorkloadOptions {
  enum class Loop : std::uint8_t { open, closed };
  enum class Sessions : std::uint8_t { columns, client, turn };
  enum class Sizes : std::uint8_t { fixed, first, largest };
  enum class Unsupported : std::uint8_t { refuse, skip };
  enum class AtEnd : std::uint8_t { stop, repeat };
  enum class Target : std::uint8_t { protocol, store };

  std::string file;
  TraceFormat format = TraceFormat::automatic;
  std::string columns;
  bool check_file = true;
  std::uint64_t threads = 1;
  Sessions sessions = Sessions::columns;
  Loop loop = Loop::closed;
  double time_scale = 1;
  AtEnd at_end = AtEnd::stop;
  std::uint64_t warm_records = 0;
  Unsupported unsupported = Unsupported::refuse;
  TraceKeying keys = TraceKeying::given;
  Target target = Target::protocol;
  // Of stores:
  std::uint64_t key_space = 10'000'000;
  std::uint64_t key_bytes = 16;
  std::uint64_t value = 64;
  Sizes sizes = Sizes::fixed;
  StoreOptions store;
  // Of memories:
  std::uint64_t memory = std::uint64_t{64} << 20;
  std::uint64_t slot = 0;
  std::uint64_t unit = 0;

  void declare(sim::Parameters& p) override;
  void check() const override;
  Footprint footprint(const RunScale& scale) const override;
  unsigned threads_per_node() const override { return static_cast<unsigned>(threads); }
  std::uint64_t blocks_in_reach(std::uint64_t, std::uint64_t block_bytes) const override;
  bool makes_service(std::uint64_t block_bytes) const override { return block_bytes > 0 && target == Target::store; }
  std::vector<std::string> oracles(std::uint64_t block_bytes) const override {
    return makes_service(block_bytes) ? std::vector<std::string>{"key-value"} : std::vector<std::string>{};
  }
  std::string* input_file() override { return &file; }
  std::vector<std::string_view> of_input() const override { return {"file", "format", "columns", "check_file"}; }
  std::unique_ptr<Workload> build(WorkloadContext& context) const override;
};

}  // namespace racksim::models
