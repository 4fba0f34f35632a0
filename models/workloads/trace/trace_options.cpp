// See trace_options.hpp.
#include "models/workloads/trace/trace_options.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "models/store/table_layout.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::models {

void TraceOptions::declare(sim::Parameters& p) {
  p.text("file", file, "the trace: a file, from the scenario's folder or the current one, or a pipe");
  p.choice("format", format,
           {{"auto", TraceFormat::automatic},
            {"csv", TraceFormat::csv},
            {"binary", TraceFormat::binary},
            {"columns", TraceFormat::columns},
            {"twitter", TraceFormat::twitter},
            {"cachelib", TraceFormat::cachelib},
            {"ycsb", TraceFormat::ycsb},
            {"oracle-general", TraceFormat::oracle_general}},
           "the form of the file; auto tells csv, binary and cachelib by their first bytes");
  p.text("columns", columns,
         "of the format columns: which column of a CSV file is what, as \"time_us=ts op=verb key=object_id size=bytes "
         "client=host\"");
  p.flag("check_file", check_file,
         "whether a file that can be read twice is read once before the run, to refuse what is wrong in it");
  p.integer("threads", threads, 1, 64, "threads on each node, each a session");
  p.choice(
      "sessions", sessions, {{"columns", Sessions::columns}, {"client", Sessions::client}, {"turn", Sessions::turn}},
      "which session issues a record: the one of its node and thread, one by a hash of its client, or each in turn");
  p.choice("loop", loop, {{"open", Loop::open}, {"closed", Loop::closed}},
           "whether records begin at their times (open) or as the session's last one has ended (closed)");
  p.real("time_scale", time_scale, 0, 1e9, "in open loop: what times are multiplied by; 0.5 replays twice as fast");
  p.choice("at_end", at_end, {{"stop", AtEnd::stop}, {"repeat", AtEnd::repeat}},
           "what comes behind the last record: nothing, or the first one again");
  p.integer("warm_records", warm_records, 0, std::uint64_t{1} << 24,
            "so many records at the head fill caches before the run, and are not replayed");
  p.choice(
      "unsupported", unsupported, {{"refuse", Unsupported::refuse}, {"skip", Unsupported::skip}},
      "what becomes of operations that the protocol does not offer: refused by their lines, or skipped and counted");
  p.choice(
      "keys", keys,
      {{"given", TraceKeying::given}, {"hashed", TraceKeying::hashed}, {"numbered", TraceKeying::numbered}},
      "the number of a key: its own; by a hash, which costs no memory and may make two keys one; or in the order of "
      "first sight, at 32 to 64 bytes a key");
  p.choice("target", target, {{"protocol", Target::protocol}, {"store", Target::store}},
           "what a trace is replayed on: what the protocol offers, or a key-value store, which stands on its memory if "
           "that is what it offers")
      .neutral(Target::protocol);
  p.object("store", store);
  p.integer("key_space", key_space, 1, std::uint64_t{1} << 47, "of a store: how many keys there is room for");
  p.size("key_bytes", key_bytes, 1, 65'536, "of a store: length of a key");
  p.size("value", value, 1, 1 << 20, "of a store: length of values of which the trace gives none");
  p.choice(
      "sizes", sizes, {{"fixed", Sizes::fixed}, {"first", Sizes::first}, {"largest", Sizes::largest}},
      "of a store: length of values: of all alike, or for each key the first above 0 or the largest of its records, "
      "found by a pass over the file before the run, at 32 to 64 bytes a key");
  p.size("memory", memory, 8, std::uint64_t{1} << 46,
         "of a memory: what is reserved for the keys, at all homes together");
  p.size("unit", unit, 0, std::uint64_t{1} << 30,
         "of a memory: bytes that given keys count in, 1 for addresses; 0: the protocol's own objects or, of locks, "
         "blocks, "
         "as recordings on it have them");
  p.size("slot", slot, 0, std::uint64_t{1} << 30,
         "of a memory: what a hashed or numbered key has, whole blocks of the protocol's; 0: a block");
}

void TraceOptions::check() const {
  if (file.empty()) throw sim::OptionError("file", "no file", "the trace to replay");
  if (format == TraceFormat::columns && columns.empty()) {
    throw sim::OptionError("columns", "no columns", "which column of the file is what, since the format is columns");
  }
  if (format != TraceFormat::columns && !columns.empty()) {
    throw sim::OptionError("columns", "columns", "none, or the format columns");
  }
}

std::uint64_t TraceOptions::blocks_in_reach(std::uint64_t, std::uint64_t block_bytes) const {
  if (!makes_service(block_bytes)) return memory / block_bytes;
  const ItemSizes items{.key_bytes = static_cast<std::uint32_t>(key_bytes),
                        .small_value_bytes = static_cast<std::uint32_t>(value),
                        .large_value_bytes = static_cast<std::uint32_t>(value)};
  return TableLayout::lines(store.buckets_for(key_space), key_space, block_bytes, items);
}

// What the file holds is not known yet: at most what threads can begin, 10 million a second of a core
// (docs/hardware.md 7.3).
Footprint TraceOptions::footprint(const RunScale& scale) const {
  constexpr double kMostOfThread = 1e7;
  const auto operations =
      scale.operations +
      static_cast<std::uint64_t>(kMostOfThread * static_cast<double>(scale.nodes * threads) * scale.time.seconds());
  const std::uint64_t keys_there = scale.block_bytes == 0 ? key_space : blocks_in_reach(scale.nodes, scale.block_bytes);
  const std::uint64_t touched = std::min(keys_there, operations + warm_records);
  return {.objects = touched,
          .warm_accesses = scale.block_bytes == 0 ? 0 : warm_records,
          .reachable = keys_there,
          .of_node = touched,
          .operations = operations};
}

}  // namespace racksim::models
