// The micro benchmark's options and data layout. See micro_workload.hpp.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "models/service/memory_service.hpp"
#include "models/workloads/micro_workload.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::models {

using namespace sim::literals;

void MicroOptions::declare(sim::Parameters& p) {
  p.integer("threads", threads, 1, 64, "application threads on each node").varied_from(1);
  p.choice(
      "mode", mode,
      {{"access", Mode::access},
       {"lock", Mode::lock},
       {"lock-and-access", Mode::lock_and_access},
       {"try-lock", Mode::try_lock},
       {"try-lock-and-access", Mode::try_lock_and_access},
       {"mixed", Mode::mixed},
       {"fenced", Mode::fenced},
       {"tried", Mode::tried}},
      "what an operation is: an access, a lock that is given back at once (shared in place of a read, exclusive in "
      "place of a write), or an access under such a lock; the same with try-locks, which may be refused; or any of "
      "these, fences and atomic operations among them; or accesses, locks and fences; or these and try-locks");
  p.size("access_bytes", access_bytes, 1, std::uint64_t{1} << 20,
         "bytes of an access, which begins at a multiple of 8 and may span blocks");
  p.ratio("read_ratio", read_ratio, "share of operations that read").varied({0.0, 0.2, 0.8, 0.95});
  p.ratio("locality", locality, "probability that an operation goes to the same block as the one before")
      .varied({0.0, 0.5, 0.9});
  p.ratio("temporal_locality", temporal_locality,
          "probability that an operation goes to the same object as the one before")
      .neutral(0.0);
  p.ratio("sharing_ratio", sharing_ratio, "share of operations, or lines, that are of data that all nodes share")
      .varied({0.3, 0.9, 1.0});
  p.choice("sharing_of", sharing_of, {{"operations", SharingOf::operations}, {"lines", SharingOf::lines}},
           "what the sharing ratio is a share of: operations (Concordia), or the blocks that a node can reach, all of "
           "which are accessed alike (GAM, SELCC)");
  p.optional_ratio("remote_ratio", remote_ratio,
                   "share of a node's private data whose home is another node (GAM); null: all homes in turn");
  p.size("working_set", working_set, 0, std::uint64_t{1} << 46, "private data of all nodes together at sharing ratio 0")
      .varied({512 * 1024, 2048 * 1024});
  // One to sixteen blocks of 4 KiB: races need threads that meet on a block.
  p.size("shared_bytes", shared_bytes, 0, std::uint64_t{1} << 40,
         "data that all nodes share, unless that is a share of lines")
      .varied({4 * 1024, 8 * 1024, 16 * 1024, 64 * 1024})
      .moderate({4 * 1024, 8 * 1024, 16 * 1024});
  p.real("zipf", zipf, 0, 2, "skew of the lines' popularity: the line of rank r is drawn in proportion to r^-zipf")
      .neutral(0.0);
  p.object("distribution", distribution);
  p.size("reach", reach, 0, std::uint64_t{1} << 46,
         "data that each node can reach, of which sharing_ratio is a share of lines; 0: working_set / nodes")
      .neutral(0);
  p.integer("operations_per_node", operations_per_node, 0, std::uint64_t{1} << 50,
            "operations after which the sessions of a node end, together; 0: none")
      .neutral(0);
  p.integer("slow_nodes", slow_nodes, 0, kMostNodes,
            "so many of the first nodes pause between two operations of a session")
      .neutral(0);
  p.length("slow_pause", slow_pause, 0_ps, 1_s, "how long they do").neutral(1_us);
  p.length("hold", hold, 0_ps, 1_s, "how much longer than its access takes a session keeps a lock").neutral(0_ps);
  p.optional_integer("one_writer", one_writer, 0, kMostNodes - 1,
                     "the node whose operations all write, while those of all others read; null: by read_ratio")
      .neutral_null();
  p.real("warm_passes", warm_passes, 0, 1000, "warm-up accesses per block that a node can reach")
      .varied({0.0, 0.5, 2.0});
  p.flag("same_list", same_list, "sessions begin with the accesses that the warm-up has made, in their order (GAM)")
      .neutral(false);
}

MicroLayout MicroOptions::layout(std::uint64_t nodes, std::uint64_t block_bytes) const {
  if (sharing_of == SharingOf::lines) {
    const std::uint64_t lines = (reach > 0 ? reach : working_set / nodes) / block_bytes;
    const auto shared = static_cast<std::uint64_t>(std::llround(sharing_ratio * static_cast<double>(lines)));
    return {shared, lines - shared};
  }
  const double private_share = static_cast<double>(working_set / nodes) * (1.0 - sharing_ratio);
  return {sharing_ratio > 0 ? shared_bytes / block_bytes : 0, static_cast<std::uint64_t>(private_share) / block_bytes};
}

void MicroOptions::check() const {
  if (reach > 0 && sharing_of == SharingOf::operations) {
    throw sim::OptionError("reach", fmt::format("{} bytes", reach), "0, unless sharing_of is \"lines\"");
  }
  if (distribution.kind == DistributionOptions::Kind::latest && sharing_of == SharingOf::lines) {
    throw sim::OptionError(
        "distribution/kind", "\"latest\" with shares of lines",
        "another, or sharing_of \"operations\": lines that are a node's own have no place in an order "
        "of age that all nodes share");
  }
}

std::uint64_t MicroOptions::warm_rounds(const MicroLayout& layout) const {
  const double blocks = static_cast<double>(layout.private_blocks + layout.shared_blocks);
  return static_cast<std::uint64_t>(warm_passes * blocks / static_cast<double>(threads));
}

// In a phase that has a length in time a thread may reach a million new blocks a second: one takes about a round trip.
Footprint MicroOptions::footprint(const RunScale& scale) const {
  if (scale.block_bytes == 0) WorkloadContext::refuse("micro", MemoryService::kWhat);
  constexpr double kMostOfThread = 1e7, kNewOfThread = 1e6;
  const MicroLayout blocks = layout(scale.nodes, scale.block_bytes);
  const std::uint64_t warm = warm_rounds(blocks) * threads;
  const auto nodes = static_cast<double>(scale.nodes), of_thread = static_cast<double>(threads);
  const double most =
      operations_per_node > 0 ? static_cast<double>(operations_per_node) : std::numeric_limits<double>::max();
  const auto begun = [&](double of_a_thread) {
    return std::min(static_cast<double>(scale.operations) / nodes + scale.time.seconds() * of_thread * of_a_thread,
                    most);
  };
  // By a node, each access of perhaps several blocks.
  const double spanned = static_cast<double>((access_bytes - 1) / scale.block_bytes + 1);
  const double touching = static_cast<double>(warm) + begun(kNewOfThread) * (1 - locality) * spanned;
  const auto of_lines = static_cast<double>(blocks.shared_blocks + blocks.private_blocks);
  const double shared = sharing_of == SharingOf::operations ? sharing_ratio
                        : of_lines > 0                      ? static_cast<double>(blocks.shared_blocks) / of_lines
                                                            : 0;
  const auto distinct = [&](std::uint64_t of, double accesses) {
    return of == 0 ? 0.0 : Distribution(of, zipf, distribution).expected_distinct(accesses, scale.time);
  };
  const auto common = [&](double of) { return distinct(blocks.shared_blocks, of * shared); };
  const double own = distinct(blocks.private_blocks, touching * (1 - shared));
  return {.objects = static_cast<std::uint64_t>(std::llround(common(touching * nodes) + nodes * own)),
          .warm_accesses = warm * scale.nodes,
          .reachable = blocks.shared_blocks + scale.nodes * blocks.private_blocks,
          .of_node = static_cast<std::uint64_t>(std::llround(common(touching) + own)),
          .operations = static_cast<std::uint64_t>(begun(kMostOfThread) * nodes)};
}

}  // namespace racksim::models
