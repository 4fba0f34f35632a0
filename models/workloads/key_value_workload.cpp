// Arrivals, draws and sessions of the key-value workload. See key_value_workload.hpp.
#include "models/workloads/key_value_workload.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "models/service/key_value_service.hpp"
#include "models/service/session_tasks.hpp"
#include "sim/kernel/waiting.hpp"
#include "sim/options/option_error.hpp"
#include "sim/random/random.hpp"
#include "sim/random/zipf.hpp"

namespace racksim::models {

using namespace sim::literals;

std::uint64_t KeyRanking::swaps_by(sim::Time now) const {
  if (swap_interval == sim::Duration{}) return 0;
  return static_cast<std::uint64_t>((now - sim::Time{}) / swap_interval);
}

std::uint64_t KeyRanking::key_of(std::uint64_t rank, std::uint64_t swaps) const {
  const bool changes_place = rank <= swap_keys || rank > keys - swap_keys;
  return swaps % 2 == 1 && changes_place ? keys - rank : rank - 1;
}

namespace {

class KeyValueWorkload final : public Workload {
 public:
  KeyValueWorkload(WorkloadContext& context, const KeyValueOptions& options)
      : rack_(context.rack),
        service_(context.service<KeyValueService>("key-value")),
        options_(options),
        ranking_{options.keys, options.swap_keys, options.swap_interval},
        popularity_(options.keys, options.zipf),
        lane_(rack_.calendar().add_lane("workload")),
        stopped_(rack_.calendar()),
        tasks_(rack_.calendar(), service_.client_nodes()) {
    const unsigned nodes = service_.client_nodes();
    if (nodes == 0) throw sim::OptionError("/rack/nodes", "a store without client nodes", "a node that sends requests");
    if (options.swap_interval > sim::Duration{} && options.swap_keys > options.keys / 2) {
      throw sim::OptionError(
          "swap_keys", fmt::format("{}", options.swap_keys),
          fmt::format("at most half of the {} keys: the hottest ones change places with the coldest", options.keys));
    }
    const auto sessions = static_cast<std::int64_t>(nodes * options.threads);
    gap_ = 1_s * sessions / static_cast<std::int64_t>(options.rate);
    for (unsigned node = 0; node < nodes; ++node) {
      for (unsigned thread = 0; thread < options.threads; ++thread) sessions_.emplace_back(rack_.seed(), node, thread);
    }
    // Here and not later: what the store refuses is refused before the run.
    service_.describe_items({.key_bytes = static_cast<std::uint32_t>(options_.key_bytes),
                             .small_value_bytes = static_cast<std::uint32_t>(options_.small_value),
                             .large_value_bytes = static_cast<std::uint32_t>(options_.large_value),
                             .small_share = options_.small_share});
  }

  void warm_up() override {
    std::vector<sim::Key> hottest(std::min(options_.preload, options_.keys));
    for (std::size_t i = 0; i < hottest.size(); ++i) hottest[i] = sim::Key{ranking_.key_of(i + 1, 0)};
    service_.preload(hottest);
  }

  void start() override {
    for (SessionState& session : sessions_) begin(session);
  }

  void node_crashed(NodeId node) override { tasks_.node_crashed(node); }

  // A client that comes back goes on asking; what it had asked before, it has given up.
  void node_restarted(NodeId node) override {
    for (SessionState& session : sessions_) {
      if (session.id.node == node && !stopping_) begin(session);
    }
  }

  // Those that wait for their next arrival, which may be far away, are woken by an event: whoever stops the workload
  // may be one of its own operations, or stand outside all events.
  void stop() override {
    stopping_ = true;
    rack_.calendar().at<&KeyValueWorkload::end_waiting>(rack_.calendar().now(), lane_, *this);
  }

  std::size_t running() const override { return tasks_.running(); }

  void notify_after(std::uint64_t operations, std::function<void()> done) override {
    tasks_.notify_after(operations, std::move(done));
  }

  bool uses(sim::Key key) const override { return key < options_.keys; }
  std::string used_keys() const override { return fmt::format("a key from 0x0 to {:#x}", options_.keys - 1); }

 private:
  struct SessionState {
    SessionState(std::uint64_t seed, unsigned node, unsigned thread)
        : id{static_cast<NodeId>(node), static_cast<std::uint16_t>(thread)},
          random(seed, fmt::format("node{}/thread{}/workload", node, thread)) {}
    Session id;
    sim::RandomStream random;
  };

  struct Operation {
    sim::Key key = 0;
    bool write = false;
  };

  void begin(SessionState& session) {
    if (options_.loop == KeyValueOptions::Loop::open) return tasks_.spawn(session.id.node, issue(session));
    for (std::uint64_t i = 0; i < options_.window; ++i) tasks_.spawn(session.id.node, repeat(session));
  }

  /// The open loop of a session.
  sim::Task<void> issue(SessionState& session) {
    sim::Clock& clock = rack_.server(session.id.node).clock();
    while (!stopping_) {
      const sim::Duration gap = session.random.exponential(gap_);
      if (co_await stopped_.wait_for(clock, gap) || stopping_) break;
      // An operation is a root task beside this one: it may finish before spawn returns, or long after.
      tasks_.spawn(session.id.node, operate(session.id, draw(session)));
    }
  }

  /// One place in the window of a session.
  sim::Task<void> repeat(SessionState& session) {
    while (!stopping_) co_await operate(session.id, draw(session));
  }

  Operation draw(SessionState& session) {
    const std::uint64_t rank = popularity_(session.random);
    const sim::Key key{ranking_.key_of(rank, ranking_.swaps_by(rack_.calendar().now()))};
    return {key, session.random.chance(options_.write_ratio)};
  }

  sim::Task<void> operate(Session session, Operation operation) {
    if (operation.write) {
      co_await service_.put(session, operation.key);
    } else {
      co_await service_.get(session, operation.key);
    }
    tasks_.operation_ended();
  }

  void end_waiting() { stopped_.notify_all(); }

  Rack& rack_;
  KeyValueService& service_;
  KeyValueOptions options_;
  KeyRanking ranking_;
  sim::Zipf popularity_;
  sim::Duration gap_;  // mean, between two operations of a session
  sim::Lane lane_;
  sim::Signal stopped_;
  std::vector<SessionState> sessions_;
  bool stopping_ = false;
  SessionTasks tasks_;
};

const sim::Registration<WorkloadEntry> key_value_workload({
    .name = "key-value",
    .doc = "gets and puts of a key-value store in open loop, with Zipf popularity and hot-in (StarCache §5.1)",
    .make_options = [] { return std::make_shared<KeyValueOptions>(); },
});

}  // namespace

void KeyValueOptions::declare(sim::Parameters& p) {
  p.integer("threads", threads, 1, 64, "client threads on each client node").varied_from(1);
  // With swaps, all of these leave room for the default of swap_keys.
  p.integer("keys", keys, 1, std::uint64_t{1} << 47, "keys in the store").varied({512, 1000, 20'000}).moderate({512});
  p.real("zipf", zipf, 0, 2, "skew of the keys' popularity: key of rank r is asked for in proportion to r^-zipf")
      .varied({0.0, 0.9, 1.2, 2.0})
      .moderate({0.9, 1.2});
  p.ratio("write_ratio", write_ratio, "share of operations that write")
      .varied({0.0, 0.05, 0.3, 1.0})
      .moderate({0.0, 0.05, 0.3});
  // Of these two fuzzing has what the template says.
  p.choice("loop", loop, {{"open", Loop::open}, {"closed", Loop::closed}},
           "whether operations begin at a rate (open) or as earlier ones end (closed)");
  p.integer("window", window, 1, 4096, "in closed loop: operations that each client thread keeps under way");
  p.integer("rate", rate, 1, 1'000'000'000,
            "in open loop: operations per second that all clients together begin, whether or not earlier ones are "
            "answered")
      .varied({200'000, 1'000'000, 4'000'000})
      .moderate({200'000, 1'000'000});
  p.size("key_bytes", key_bytes, 1, 65'536, "length of a key").varied({16});
  p.size("small_value", small_value, 1, 1 << 20, "length of the values of small items").varied({8, 64});
  p.size("large_value", large_value, 1, 1 << 20, "length of the values of all other items");
  p.ratio("small_share", small_share, "share of the keys, chosen by a hash of the key, whose items are small")
      .varied({0.0, 0.5, 1.0})
      .moderate({1.0});
  p.length("swap_interval", swap_interval, 0_ns, 1000_s,
           "time between two exchanges of popularity between the hottest and the coldest keys (hot-in); 0 for never")
      .varied({0_ns, 50_us, 400_us})
      .moderate({0_ns, 400_us});
  p.integer("swap_keys", swap_keys, 1, std::uint64_t{1} << 46,
            "how many of the hottest keys exchange their popularity with as many of the coldest")
      .varied({1, 4});
  p.integer("preload", preload, 0, std::uint64_t{1} << 24,
            "how many of the hottest keys the store is told before the run, for caches to begin with")
      .varied({0, 8, 100})
      .moderate({8, 100});
}

// What comes in a phase follows from its length in open loop, and is the number of operations that end it in either. In
// closed loop nobody knows beforehand how many come in a time.
Footprint KeyValueOptions::footprint(const RunScale& scale) const {
  if (scale.block_bytes > 0) WorkloadContext::refuse("key-value", KeyValueService::kWhat);
  if (loop == Loop::closed && scale.time > sim::Duration{}) return {keys, 0};
  const double arrivals = static_cast<double>(rate) * scale.time.seconds() + static_cast<double>(scale.operations);
  return {static_cast<std::uint64_t>(std::min(static_cast<double>(keys), arrivals)), 0};
}

std::unique_ptr<Workload> KeyValueOptions::build(WorkloadContext& context) const {
  return std::make_unique<KeyValueWorkload>(context, *this);
}

}  // namespace racksim::models
