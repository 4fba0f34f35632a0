// The declaration of GAM's options. See options.hpp.
#include "protocols/gam/rules/options.hpp"

namespace racksim::gam {

void Options::declare(sim::Parameters& p) {
  using sim::Duration;
  const Duration zero, most = Duration::from_ps(1'000'000'000);
  p.size("line", line_bytes, 8, 65'536, "cache line, the unit of coherence and of locks, a power of two")
      .published("§2.2: 512 B")
      .varied({8, 64, 256, 512});
  p.size("cache", cache_bytes, 8, std::uint64_t{1} << 40,
         "cache of each node: the threshold beyond which lines are evicted")
      .published("§2.6; code: 0.15 of 512 MB, here in whole MiB")
      .varied({256, 512, 2048, 65'536});
  p.real("cache_share", cache_share, 0, 1000,
         "cache of each node as a share of the lines that its threads use; 0: by size")
      .published("code: by size; §7.1: half of the working set")
      .neutral(0.0);
  p.integer("lru_lists", lru_lists, 1, 1024, "LRU lists, of which each access and each eviction draws one")
      .published("code: 10")
      .varied({1, 4});
  p.size("memory", memory_bytes, 4096, std::uint64_t{1} << 46, "global memory of each node")
      .published("code: 512 MB")
      .neutral(std::uint64_t{512} << 20);
  p.length("statistics_period", statistics_period, Duration::from_ps(1'000'000), Duration::from_ps(100'000'000'000'000),
           "how often nodes tell each other what memory they have free")
      .estimate("§2.1 says periodically")
      .varied({1_ms, 10_ms});
  p.choice("consistency", consistency, {{"pso", Consistency::pso}, {"tso", Consistency::tso}, {"sc", Consistency::sc}},
           "the memory model: writes return at once and pass each other (§4), are sent one after the other, or are "
           "waited for (a fence after each: the paper's GAM-TSO)")
      .varied({Consistency::pso, Consistency::tso, Consistency::sc});
  p.integer("outstanding_writes", outstanding_writes, 1, 1'000'000,
            "writes of a session that have returned and are not performed; the next waits")
      .estimate("64 keep a worker busy; the code has no limit")
      .varied({1, 4, 64});
  p.choice("writeback", write_back, {{"attached", WriteBack::attached}, {"one-sided", WriteBack::one_sided}},
           "how a dirty line is evicted: with the request (§2.6), or by a WRITE into memory and a request (code)")
      .varied({WriteBack::attached, WriteBack::one_sided});
  p.integer("writeback_buffers", write_back_buffers, 1, 65'536, "lines that a node may be writing back to one home")
      .estimate("our choice: no number is published")
      .varied({1, 4});
  p.integer("send_depth", send_depth, 1, 1'000'000, "work requests of a queue pair that may be outstanding")
      .published("code: 1024")
      .varied({2, 8, 64});
  p.integer("signal_every", signal_every, 1, 1'000'000, "r: one work request in r is signalled")
      .published("§3.2; code: 512")
      .varied({1, 2});
  p.integer("receives", receives, 1, 1'000'000, "receives in a node's shared receive queue")
      .published("code: 16,351")
      .varied({4, 64})
      .moderate({64});
  p.size("merged_bytes", merged_bytes, 64, 65'536, "most bytes of small messages in one packet")
      .published("§3.2; code: 1024")
      .varied({128});
  p.choice("notification", notification, {{"polling", Notification::polling}, {"events", Notification::events}},
           "how the worker learns of messages: it polls (code), or an event wakes it up when it sleeps (§3.1)")
      .varied({Notification::polling, Notification::events});
  p.length("wake_up", wake_up, zero, most, "from an event until the worker runs")
      .estimate("an interrupt and a switch")
      .varied({zero, 5_us});
  p.choice("dying_reads", dying_reads, {{"wait", DyingReads::wait}, {"paper", DyingReads::paper}},
           "reads of a line that is being written back wait, or are served from it (§2.6)")
      .guards(DyingReads::paper, "reads are served from a line that is being written back: stale",
              "gam/mechanisms.json/without-dying-wait");
  p.choice("upgrade_check", upgrade_check, {{"listed", UpgradeCheck::listed}, {"state", UpgradeCheck::state}},
           "an upgrade brings no data if its node is listed as a sharer, or unless the directory is UnShared (§2.5)")
      .guards(UpgradeCheck::state,
              "whom another writer has invalidated is granted an upgrade without data: lost update",
              "gam/mechanisms.json/without-listing");
  p.choice("fill_invalidate", fill_invalidate, {{"id", FillInvalidate::by_id}, {"queue", FillInvalidate::queue}},
           "an invalidation that meets a read under way waits only if it is about the copy to come, or always (§2.5)")
      .guards(FillInvalidate::queue, "a home waits for the acknowledgement of a copy that was evicted before: stuck",
              "gam/mechanisms.json/without-request-ids");
  p.choice("invalidate_order", invalidate_order,
           {{"invalidate-first", InvalidateOrder::invalidate_first}, {"ack-first", InvalidateOrder::ack_first}},
           "a sharer gives up its copy before it acknowledges, or behind (Figure 4)")
      .guards(InvalidateOrder::ack_first, "a copy can be read when the write is performed",
              "gam/mechanisms.json/acknowledged-first");
  p.flag("back_off", back_off, "an invalidation that meets a write under way is acknowledged at once (§2.5)")
      .guards("home and upgrader wait for each other: stuck", "gam/mechanisms.json/without-back-off");
  p.flag("blocking", blocking, "a home blocks the line until its own write's invalidations are acknowledged")
      .guards("the home grants copies before it has written", "gam/mechanisms.json/without-blocking");
  p.flag("two_messages", two_messages,
         "a write to a line of another owner waits for that owner and for the home (§2.4)")
      .guards("with one-sided write-backs an old owner's lands over the new owner's", "gam/recovery.json/one-message");
  p.flag("logging", logging,
         "nodes log what they write and whom they give their lines to, and recover from crashes (§5)");
  p.flag("dlog", dlog, "with logging: a write is logged (§5)")
      .guards("lines are as they were before their last writes", "gam/recovery.json/without-dlog");
  p.flag("olog", olog, "with logging: a transfer of ownership is (§5)")
      .guards("a home takes lines for its own that others own", "gam/recovery.json/without-olog");
  p.flag("dlog_first", dlog_first, "with logging: before it is performed, not behind (§2.4)")
      .guards("a crash takes back what others have seen", "gam/recovery.json/log-behind");
  nvram.declare(p);
  membership.declare(p, "gam/recovery.json/without-leases");
  p.length("costs.hand_over", hand_over, zero, most, "application thread's time to hand a request to the worker")
      .estimate("a cache miss to the queue that both share")
      .varied({zero, 200_ns});
  // Not zero: a thread that only hits would perform operations for ever in one instant.
  p.length("costs.hit", hit, Duration::from_ps(1000), most, "worker's time for an application's request")
      .calibrated("23 Mops at locality 1, Concordia Fig. 12")
      .varied({10_ns, 1_us});
  p.length("costs.message", message, Duration::from_ps(1000), most, "worker's time for a message, beside its verbs")
      .calibrated("17 times slower at 100 % sharing, Concordia Fig. 9")
      .varied({10_ns, 2_us});
  p.length("costs.eviction", eviction, zero, most, "worker's time for an eviction")
      .estimate("a cache miss")
      .varied({zero, 500_ns});
}

// A home serves the requests for a line in the order in which they come. Until a request has come there through queues of
// cores the line's owner goes on: a session ends an access that waits in no less than half a round trip, and the way
// takes four at most. What is longer than a line waits for one after the other: the
// bounds are those of accesses of up to 128 bytes. At one core an access has a message to and
// from each other node, and three more.
std::optional<sim::WaitingBounds> Options::waiting(const models::RackOptions& rack) const {
  const auto lines = static_cast<std::int64_t>(1 + 128 / line_bytes);
  sim::WaitingBounds bounds{
      .waits_from = rack.rtt / 2,
      .headway = rack.rtt,
      .overtakings = 8,
      .step = rack.rtt * 40 * lines + nvram.latency * 16,
      .work = (message + hand_over) * static_cast<std::int64_t>(rack.nodes + 3) + wake_up + nvram.latency * 2};
  // Writes that wait in a buffer are in front of others, and nobody sees them.
  bounds.writes_return_early = consistency != Consistency::sc;
  if (bounds.writes_return_early) bounds.step = sim::Duration::max();
  return bounds;
}

std::vector<std::string> Options::promises() const {
  if (consistency == Consistency::sc) return {"sc", "mutual-exclusion", "data-value"};
  return {consistency == Consistency::pso ? "pso" : "tso", "mutual-exclusion"};
}

std::vector<std::string> Options::also_tolerates() const {
  if (!logging) return {};
  return {"crash", "isolation"};
}

sim::Duration Options::longest_timeout(const models::RackOptions&) const {
  return logging ? membership.patience() + membership.interval() : sim::Duration{};
}

}  // namespace racksim::gam
