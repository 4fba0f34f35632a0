// An application as a running workload: its threads, arrivals, attempts and counters. See application_options.hpp.
#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/applications/application_options.hpp"
#include "models/applications/application_oracle.hpp"
#include "models/service/session_tasks.hpp"
#include "sim/kernel/waiting.hpp"
#include "sim/metrics/histogram.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::app {

namespace {

using models::NodeId;
using models::Session;
using sim::OperationKind;

/// What applications count, under "application.".
struct Counters {
  sim::Metrics& m;
  sim::Counter& committed = m.counter("application.committed", "operations", "that have committed", sim::Shown::always);
  sim::Counter& rolled_back = m.counter("application.rolled_back", "operations",
                                        "that have ended without a change, as they should", sim::Shown::always);
  sim::Counter& refused =
      m.counter("application.aborted.lock", "attempts", "that ended since a lock was refused", sim::Shown::always);
  sim::Counter& unavailable =
      m.counter("application.aborted.unavailable", "attempts",
                "that ended since memory or its place in a cache could not be had", sim::Shown::always);
  sim::Counter& aborted = m.counter("application.aborted.other", "attempts",
                                    "that the application has ended for a reason of its own", sim::Shown::always);
  sim::Counter& given_up =
      m.counter("application.given_up", "operations", "that were given up, with no attempt left", sim::Shown::always);
  sim::Counter& calls =
      m.counter("application.calls", "calls", "of the memory service by applications", sim::Shown::json);
  sim::Counter& long_calls = m.counter("application.calls.long", "calls",
                                       "of these that took half a round trip of the rack or more", sim::Shown::json);
  sim::Histogram& latency =
      m.histogram("latency.commit",
                  "time from an operation's arrival or beginning to its end, all attempts included, while measuring");

  std::vector<sim::Counter*> causes = {};  // Application::abort_causes

  Counters(sim::Metrics& metrics, const std::vector<AbortCause>& named) : m(metrics) {
    sim::Quotient::Counters ended_early{&refused, &unavailable, &aborted};
    for (const AbortCause& cause : named) {
      causes.push_back(&m.counter("application.aborted." + cause.name, "attempts", cause.doc, sim::Shown::always));
      ended_early.push_back(causes.back());
    }
    sim::Quotient::Counters all = ended_early;
    all.insert(all.end(), {&committed, &rolled_back});
    m.rate("application.throughput", "operations that committed", committed, sim::Shown::always);
    m.quotient("application.calls_per_operation", "calls", "of all attempts, an operation that has committed", {&calls},
               {&committed}, sim::Shown::always);
    m.quotient("application.misses_per_operation", "calls",
               "of these that took half a round trip of the rack or more: misses, and waiting", {&long_calls},
               {&committed}, sim::Shown::always);
    m.share("application.abort_ratio", "of the attempts that were aborted", std::move(ended_early), std::move(all));
  }
};

class ApplicationWorkload final : public models::Workload {
 public:
  ApplicationWorkload(models::WorkloadContext& context, const ApplicationOptions& options)
      : options_(options),
        application_(*options.application),
        rack_(context.rack),
        memory_(context.service<models::MemoryService>(options.name)),
        nodes_(memory_.shape().roles.compute_nodes),
        needs_(application_.needs()),
        regions_(checked(memory_, needs_, options), needs_.regions, options.layout),
        counters_(rack_.metrics(), application_.abort_causes()),
        lane_(rack_.calendar().add_lane("workload")),
        stopped_(rack_.calendar()),
        at_rest_(std::make_shared<models::MemoryImage>(memory_)),
        oracle_(std::make_shared<ApplicationOracle>(application_, regions_, at_rest_)),
        tasks_(rack_.calendar(), nodes_) {
    for (const Region& region : needs_.regions) {
      popularity_.emplace_back(region.slots, options.zipf, options.distribution);
    }
    memory_.keep_bytes([this](models::GlobalAddress address, std::span<std::byte> into) { fill(address, into); });
    const ClientContext shared{
        rack_, memory_, regions_, popularity_, counters_.calls.value, counters_.long_calls.value};
    if (application_.lays_out_itself()) {
      application_.prepare({rack_, memory_, shared, static_cast<unsigned>(options.threads), at_rest_});
    }
    for (NodeId node = 0; node < nodes_; ++node) {
      for (std::uint16_t thread = 0; thread < options.threads; ++thread) {
        threads_.emplace_back(rack_.seed(), Session{node, thread}, shared);
      }
    }
    gap_ = sim::Duration::from_ps(1'000'000'000'000) * static_cast<std::int64_t>(threads_.size()) /
           static_cast<std::int64_t>(options.rate);
  }

  ~ApplicationWorkload() override {
    for (NodeId node = 0; node < nodes_; ++node) tasks_.node_crashed(node);
    application_.over();
  }

  // By turns, as threads that run at the same time would.
  void warm_up() override {
    for (std::uint64_t i = 0; i < application_.warm_lines(); ++i) {
      for (Thread& thread : threads_) {
        memory_.warm_access(thread.session, application_.warm_line(thread.session, thread.warming), false);
      }
    }
    for (std::uint64_t i = 0; i < options_.warm_slots; ++i) {
      for (Thread& thread : threads_) {
        for (std::uint32_t region = 0; region < popularity_.size(); ++region) {
          const Slot slot{region, popularity_[region].draw(thread.warming, {})};
          memory_.warm_access(thread.session, regions_.address(slot), false);
        }
      }
    }
  }

  void start() override {
    for (Thread& thread : threads_) tasks_.spawn(thread.session.node, issue(thread));
  }
  void node_crashed(NodeId node) override {
    if (node < nodes_) at_rest_->half_done();
    tasks_.node_crashed(node);
    application_.node_crashed(node);
    for (Thread& thread : threads_) {
      if (thread.session.node == node) thread.client.forget();
    }
  }
  void node_restarted(NodeId node) override {
    if (stopping_ || !memory_.takes_back(node)) return;
    for (Thread& thread : threads_) {
      if (thread.session.node == node) tasks_.spawn(node, issue(thread));
    }
  }
  // Those that wait are woken by an event: whoever stops the workload may be one of its own operations, or stand outside
  // all events.
  void stop() override {
    stopping_ = true;
    rack_.calendar().at<&ApplicationWorkload::end_waiting>(rack_.calendar().now(), lane_, *this);
  }
  std::size_t running() const override { return tasks_.running(); }
  std::size_t asleep() const override { return tasks_.asleep(); }
  void notify_after(std::uint64_t operations, std::function<void()> done) override {
    tasks_.notify_after(operations, std::move(done));
  }
  // Accesses are of objects, locks of blocks.
  bool uses(sim::Key key) const override {
    if (application_.lays_out_itself()) return application_.uses(key);
    return regions_.holds(memory_.block_of_object(key)) || (needs_.locks > 0 && regions_.holds(key));
  }
  std::string used_keys() const override {
    if (application_.lays_out_itself()) return application_.used_keys();
    std::string text = "an object or block of a region:";
    for (std::uint32_t region = 0; region < needs_.regions.size(); ++region) {
      text += fmt::format(" {} from {}", needs_.regions[region].name,
                          sim::printed_key(memory_.object_of(regions_.address({region, 0}))));
    }
    return text;
  }
  std::shared_ptr<sim::Oracle> oracle() override { return oracle_; }

 private:
  struct Thread {
    Thread(std::uint64_t seed, Session where, const ClientContext& shared)
        : session(where),
          client(shared, where),
          arrivals(stream(seed, "arrivals")),
          pauses(stream(seed, "pauses")),
          warming(stream(seed, "warming")) {}
    sim::RandomStream stream(std::uint64_t seed, const char* what) const {
      return {seed, fmt::format("node{}/thread{}/{}", session.node, session.thread, what)};
    }
    Session session;
    Client client;
    sim::RandomStream arrivals, pauses, warming;
    sim::Time next;  // arrival
  };

  /// Before anything is reserved.
  static models::MemoryService& checked(models::MemoryService& memory, const Needs& needs,
                                        const ApplicationOptions& options) {
    models::OperationSet wanted = needs.operations;
    if (needs.locks > 0) wanted = wanted.with({OperationKind::try_lock, OperationKind::unlock});
    memory.require(wanted);
    if (needs.locks > 0) {
      memory.require_locks(needs.locks, Regions::lines(needs.regions, options.layout, memory.shape().block_bytes));
    }
    return memory;
  }

  /// What memory holds at first, for the memory service: a slot's bytes, and 0 between slots.
  void fill(models::GlobalAddress address, std::span<std::byte> into) const {
    std::fill(into.begin(), into.end(), std::byte{});
    if (application_.lays_out_itself()) {
      application_.fill(address, into);
      return;
    }
    std::vector<std::byte> slot_bytes;
    for (std::size_t i = 0; i < into.size();) {
      const auto slot = regions_.slot_at({address.value + i});
      if (!slot) {
        ++i;
        continue;
      }
      const std::size_t inside = address.value + i - regions_.address(*slot).value;
      slot_bytes.assign(regions_.region(slot->region).bytes, std::byte{});
      application_.first(*slot, Bytes(slot_bytes));
      const std::size_t here = std::min(slot_bytes.size() - inside, into.size() - i);
      std::copy_n(slot_bytes.begin() + static_cast<std::ptrdiff_t>(inside), here,
                  into.begin() + static_cast<std::ptrdiff_t>(i));
      i += here;
    }
  }

  sim::Task<void> issue(Thread& thread) {
    thread.next = rack_.calendar().now();
    while (!stopping_) {
      sim::Time arrived = rack_.calendar().now();
      if (options_.loop == ApplicationOptions::Loop::open) {
        thread.next = thread.next + thread.arrivals.exponential(gap_);
        arrived = thread.next;
        if (arrived > rack_.calendar().now()) co_await pause(thread, arrived - rack_.calendar().now());
        if (stopping_) break;
      }
      co_await operate(thread, arrived);
      tasks_.operation_ended();
    }
  }

  /// One operation, with all its attempts.
  sim::Task<void> operate(Thread& thread, sim::Time arrived) {
    for (std::uint64_t attempt = 0;; ++attempt) {
      thread.client.begin(attempt > 0);
      const End end = co_await try_once(thread);
      if (end != End::aborted) {
        ++(end == End::committed ? counters_.committed : counters_.rolled_back).value;
        rack_.metrics().record(counters_.latency, rack_.calendar().now() - arrived, rack_.metrics().measuring());
        co_return;
      }
      if (attempt == options_.retries || stopping_) {
        ++counters_.given_up.value;
        co_return;
      }
      co_await pause(thread, drawn(thread.pauses, attempt));
    }
  }

  sim::Task<End> try_once(Thread& thread) {
    End end = End::aborted;
    bool unavailable = false;
    try {
      end = co_await application_.operation(thread.client);
    } catch (const models::Unavailable&) {
      unavailable = true;
    }
    if (thread.client.held() > 0) {
      if (!unavailable) note_kept(thread);
      co_await thread.client.release_all();
    }
    if (end == End::aborted) {
      ++aborted_for(thread.client, unavailable || thread.client.was_unavailable()).value;
    }
    co_return end;
  }
  sim::Counter& aborted_for(const Client& client, bool unavailable) {
    if (const auto cause = client.cause()) return *counters_.causes.at(*cause);
    return unavailable ? counters_.unavailable : client.was_refused() ? counters_.refused : counters_.aborted;
  }
  void note_kept(const Thread& thread) {
    oracle_->kept_locks(
        rack_.calendar().now(),
        fmt::format("an operation of thread {} of node {} has ended and holds {}", thread.session.thread,
                    thread.session.node,
                    thread.client.held() == 1 ? "a lock" : fmt::format("{} locks", thread.client.held())));
  }

  sim::Task<void> pause(const Thread& thread, sim::Duration length) {
    if (length <= sim::Duration{} || stopping_) co_return;
    const models::SessionTasks::Sleeper sleeper(tasks_);
    co_await stopped_.wait_for(rack_.server(thread.session.node).clock(), length);
  }
  sim::Duration drawn(sim::RandomStream& random, std::uint64_t attempt) const {
    const auto longest = static_cast<std::uint64_t>(options_.backoff.ps())
                         << std::min(attempt, options_.backoff_doublings);
    return sim::Duration::from_ps(static_cast<std::int64_t>(random.below(longest + 1)));
  }
  void end_waiting() { stopped_.notify_all(); }

  const ApplicationOptions options_;
  Application& application_;
  models::Rack& rack_;
  models::MemoryService& memory_;
  unsigned nodes_;
  Needs needs_;
  Regions regions_;
  Counters counters_;
  std::vector<models::BlockPopularity> popularity_;  // by region
  std::deque<Thread> threads_;
  sim::Duration gap_;
  sim::Lane lane_;
  sim::Signal stopped_;
  bool stopping_ = false;
  std::shared_ptr<models::MemoryImage> at_rest_;
  std::shared_ptr<ApplicationOracle> oracle_;
  models::SessionTasks tasks_;
};

}  // namespace

std::unique_ptr<models::Workload> ApplicationOptions::build(models::WorkloadContext& context) const {
  return std::make_unique<ApplicationWorkload>(context, *this);
}

}  // namespace racksim::app
