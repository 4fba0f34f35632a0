// Arrivals, draws and sessions of the key-value workload. See key_value_workload.hpp.
#include "models/workloads/key_value_workload.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/service/key_value_service.hpp"
#include "models/service/session_tasks.hpp"
#include "models/store/own_store.hpp"
#include "models/workloads/client_route.hpp"
#include "sim/kernel/waiting.hpp"
#include "sim/metrics/histogram.hpp"
#include "sim/options/option_error.hpp"
#include "sim/random/random.hpp"

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
        own_(context.rack, context.protocol.service(), options.store,
             {.loaded = options.keys, .keys = options.keys, .sessions_per_thread = options.sessions_per_thread()}),
        service_(own_.store() != nullptr ? *own_.store() : context.service<KeyValueService>("key-value")),
        options_(options),
        ranking_{options.keys, options.swap_keys, options.swap_interval},
        popularity_(options.keys, options.zipf, options.distribution),
        lane_(rack_.calendar().add_lane("workload")),
        stopped_(rack_.calendar()),
        open_(service_.client_nodes()),
        tasks_(rack_.calendar(), service_.client_nodes()) {
    const unsigned nodes = service_.client_nodes();
    if (nodes == 0) throw sim::OptionError("/rack/nodes", "a store without client nodes", "a node that sends requests");
    if (options.swap_interval > sim::Duration{} && options.swap_keys > options.keys / 2) {
      throw sim::OptionError(
          "swap_keys", fmt::format("{}", options.swap_keys),
          fmt::format("at most half of the {} keys: the hottest ones change places with the coldest", options.keys));
    }
    const std::uint64_t sessions = nodes * options.threads * options.sessions;
    if (sessions > kMostSessions) {
      throw sim::OptionError("sessions", fmt::format("{} sessions in all", sessions),
                             fmt::format("at most {}: values tell who wrote them", kMostSessions));
    }
    if (options.batches) {
      if (open_loop()) throw sim::OptionError("batches", "batches in open loop", "a closed one (\"loop\")");
      batch_latency_ = &rack_.metrics().histogram(
          "latency.batch", "time from the begin of a session's operations to the end of the last, while measuring");
    }
    gap_ = 1_s * static_cast<std::int64_t>(sessions) / static_cast<std::int64_t>(options.rate);
    for (unsigned node = 0; node < nodes; ++node) {
      for (unsigned thread = 0; thread < options.threads; ++thread) {
        for (unsigned number = 0; number < options.sessions; ++number) add_session(node, thread, number);
      }
    }
    if (moving()) clock_.emplace(rack_.calendar(), "clients");
    // Here and not later: what the store refuses is refused before the run.
    service_.describe_clients({.routing = options.clients,
                               .one_at_a_time = options.loop == KeyValueOptions::Loop::closed && options.window == 1});
    service_.describe_items(options_.items());
  }

  void warm_up() override {
    std::vector<sim::Key> hottest(std::min(options_.preload, options_.keys));
    for (std::size_t i = 0; i < hottest.size(); ++i) hottest[i] = sim::Key{popularity_.of_rank(i + 1, {})};
    service_.preload(hottest);
  }

  void start() override {
    for (SessionState& session : sessions_) session.batch.begun = rack_.calendar().now();
    if (moving()) return go_on();
    for (SessionState& session : sessions_) begin(session);
  }

  // Clients from outside go on when what they had asked has been recorded as given up, which is after this.
  void node_crashed(NodeId node) override {
    tasks_.node_crashed(node);
    open_.close(node);
    for (Asker& asker : askers_) {
      if (asker.at != node || asker.asking.running() == 0) continue;
      asker.asking.cancel_all();
      --asking_;
    }
    own_.node_crashed(node);
    if (!moving()) return;
    rack_.calendar().at<&KeyValueWorkload::go_on>(rack_.calendar().now(), lane_, *this);
  }

  // A client that comes back goes on asking; what it had asked before, it has given up.
  void node_restarted(NodeId node) override {
    if (own_.store() != nullptr && !service_.takes_back(node)) return;
    open_.open(node);
    if (moving()) return go_on();
    for (SessionState& session : sessions_) {
      if (session.id.node != node || stopping_) continue;
      session.batch.begun = rack_.calendar().now();
      begin(session);
    }
  }

  // Those that wait for their next arrival, which may be far away, are woken by an event: whoever stops the workload
  // may be one of its own operations, or stand outside all events.
  void stop() override {
    stopping_ = true;
    rack_.calendar().at<&KeyValueWorkload::end_waiting>(rack_.calendar().now(), lane_, *this);
  }

  std::size_t running() const override { return tasks_.running() + asking_; }
  std::size_t asleep() const override { return tasks_.asleep(); }

  void notify_after(std::uint64_t operations, std::function<void()> done) override {
    tasks_.notify_after(operations, std::move(done));
  }

  // Packets of a table in shared memory are about its blocks.
  bool uses(sim::Key key) const override { return own_.store() != nullptr ? own_.holds(key) : key < options_.keys; }
  std::string used_keys() const override {
    if (own_.store() != nullptr) return "a block of the store's table, or of a pair that was there before the run";
    return fmt::format("a key from 0x0 to {:#x}", options_.keys - 1);
  }
  Service* own_service() override { return own_.service(); }
  std::shared_ptr<sim::Oracle> oracle() override { return own_.oracle(); }

 private:
  static constexpr std::uint64_t kMostSessions = 1'000'000;

  /// The operations that a session has sent together.
  struct Batch {
    explicit Batch(sim::Calendar& calendar) : answered(calendar) {}
    sim::Time begun;
    std::uint64_t ended = 0;
    sim::Signal answered;  // all of them
  };
  struct SessionState {
    SessionState(sim::Calendar& calendar, std::uint64_t seed, Session session, ClientRouting routing,
                 const std::string& name)
        : id(session),
          random(seed, name + "/workload"),
          route(routing, session.node, seed, name + "/route"),
          batch(calendar) {}
    Session id;
    sim::RandomStream random;
    ClientRoute route;  // of one that does not keep to its node
    Batch batch;
  };
  /// Of a session that does not keep to its node: a place in its window or, in open loop, what begins its operations.
  /// Its task is alone in its scope, since it dies with whichever node it has asked.
  struct Asker {
    Asker(sim::Calendar& calendar, SessionState& of) : session(of), asking(calendar) {}
    SessionState& session;
    std::optional<NodeId> at;
    sim::Scope asking;
  };

  struct Operation {
    sim::Key key = 0;
    bool write = false;
  };

  bool moving() const { return options_.clients != ClientRouting::pinned; }
  bool open_loop() const { return options_.loop == KeyValueOptions::Loop::open; }

  void add_session(unsigned node, unsigned thread, unsigned number) {
    std::string name = fmt::format("node{}/thread{}", node, thread);
    if (options_.sessions > 1) name += fmt::format("/session{}", number);
    const Session id{static_cast<NodeId>(node), static_cast<std::uint16_t>(thread), static_cast<std::uint16_t>(number)};
    SessionState& session = sessions_.emplace_back(rack_.calendar(), rack_.seed(), id, options_.clients, name);
    if (!moving()) return;
    for (std::uint64_t i = 0; i < (open_loop() ? 1 : options_.window); ++i) {
      askers_.emplace_back(rack_.calendar(), session);
    }
  }

  void begin(SessionState& session) {
    session.batch.ended = 0;
    if (open_loop()) return tasks_.spawn(session.id.node, issue(session, rack_.server(session.id.node).clock()));
    for (std::uint64_t i = 0; i < options_.window; ++i) tasks_.spawn(session.id.node, repeat(session));
  }

  /// Begins with all places of clients from outside that ask nobody.
  void go_on() {
    for (Asker& asker : askers_) {
      if (stopping_ || open_.empty()) return;
      if (asker.asking.running() > 0) continue;
      ++asking_;
      asker.asking.spawn(open_loop() ? issue_from_outside(asker) : ask(asker));
    }
  }

  /// The open loop of a session.
  sim::Task<void> issue(SessionState& session, sim::Clock& clock) {
    while (!stopping_) {
      const sim::Duration gap = session.random.exponential(gap_);
      {
        const SessionTasks::Sleeper sleeper(tasks_);
        if (co_await stopped_.wait_for(clock, gap) || stopping_) break;
      }
      const auto node = moving() ? session.route.next(open_) : session.id.node;
      if (!node) continue;  // nobody is there to ask
      // An operation is a root task beside this one: it may finish before spawn returns, or long after.
      tasks_.spawn(*node, operate(session.id, draw(session), *node));
    }
  }
  sim::Task<void> issue_from_outside(Asker& asker) {
    co_await issue(asker.session, *clock_);
    --asking_;
  }

  /// One place in the window of a session that keeps to its node.
  sim::Task<void> repeat(SessionState& session) {
    while (!stopping_) {
      co_await operate(session.id, draw(session), session.id.node);
      if (in_batches() && !whole_batch_answered(session.batch)) co_await session.batch.answered.wait();
    }
  }
  /// The same of one that does not. It ends when no node is there to ask.
  sim::Task<void> ask(Asker& asker) {
    while (!stopping_) {
      asker.at = asker.session.route.next(open_);
      if (!asker.at) break;
      co_await operate(asker.session.id, draw(asker.session), *asker.at);
      Batch& batch = asker.session.batch;
      if (in_batches() && !whole_batch_answered(batch)) co_await batch.answered.wait();
    }
    --asking_;
  }

  bool in_batches() const { return batch_latency_ != nullptr; }
  /// One more of a batch has been answered: whether it was the last, so that the next batch begins. A batch that a stop
  /// cuts short is over too.
  bool whole_batch_answered(Batch& batch) {
    if (++batch.ended < options_.window && !stopping_) return false;
    const sim::Time now = rack_.calendar().now();
    const bool of_window = rack_.metrics().in_window(batch.begun) && !stopping_;
    rack_.metrics().record(*batch_latency_, now - batch.begun, of_window);
    batch.begun = now;
    batch.ended = 0;
    batch.answered.notify_all();
    return true;
  }

  Operation draw(SessionState& session) {
    const sim::Time now = rack_.calendar().now();
    const std::uint64_t index = popularity_.draw(session.random, now);
    const bool write = session.random.chance(options_.write_ratio);
    if (write && popularity_.inserts()) return {sim::Key{popularity_.insert()}, true};
    return {sim::Key{ranking_.key_of(index + 1, ranking_.swaps_by(now))}, write};
  }

  sim::Task<void> operate(Session session, Operation operation, NodeId at) {
    if (operation.write) {
      co_await service_.put(session, operation.key, at);
    } else {
      co_await service_.get(session, operation.key, at);
    }
    tasks_.operation_ended();
  }

  void end_waiting() {
    stopped_.notify_all();
    for (SessionState& session : sessions_) session.batch.answered.notify_all();
  }

  Rack& rack_;
  OwnStore own_;
  KeyValueService& service_;
  KeyValueOptions options_;
  KeyRanking ranking_;
  Distribution popularity_;
  sim::Duration gap_;  // mean, between two operations of a session
  sim::Lane lane_;
  sim::Signal stopped_;
  std::deque<SessionState> sessions_;
  sim::Histogram* batch_latency_ = nullptr;  // of a workload in batches
  bool stopping_ = false;
  OpenNodes open_;
  std::optional<sim::Clock> clock_;  // of clients from outside
  std::size_t asking_ = 0;           // places of theirs that have not ended
  // Behind everything that their tasks use: they are destroyed with these.
  SessionTasks tasks_;
  std::deque<Asker> askers_;
};

const sim::Registration<WorkloadEntry> key_value_workload({
    .name = "key-value",
    .doc =
        "gets and puts of a key-value store in open or closed loop, with Zipf popularity, hot-in (StarCache §5.1), and "
        "clients that keep to a node or not (ccKVS §4)",
    .make_options = [] { return std::make_shared<KeyValueOptions>(); },
});

}  // namespace

void KeyValueOptions::declare(sim::Parameters& p) {
  p.integer("threads", threads, 1, 64, "client threads on each client node").varied_from(1);
  p.integer("sessions", sessions, 1, 4096, "sessions of each client thread, each a client of its own").neutral(1);
  p.choice(
       "clients", clients,
       {{"pinned", ClientRouting::pinned},
        {"round-robin", ClientRouting::round_robin},
        {"random", ClientRouting::random}},
       "where a session has its operations carried out: at its own node, or at the nodes that take clients, in turn "
       "or each time at random")
      .neutral(ClientRouting::pinned);
  // With swaps, all of these leave room for the default of swap_keys.
  p.integer("keys", keys, 1, std::uint64_t{1} << 47, "keys in the store").varied({512, 1000, 20'000}).moderate({512});
  p.real("zipf", zipf, 0, 2, "skew of the keys' popularity: key of rank r is asked for in proportion to r^-zipf")
      .varied({0.0, 0.9, 1.2, 2.0})
      .moderate({0.9, 1.2});
  p.object("distribution", distribution);
  p.ratio("write_ratio", write_ratio, "share of operations that write")
      .varied({0.0, 0.05, 0.3, 1.0})
      .moderate({0.0, 0.05, 0.3});
  // Of these two fuzzing has what the template says.
  p.choice("loop", loop, {{"open", Loop::open}, {"closed", Loop::closed}},
           "whether operations begin at a rate (open) or as earlier ones end (closed)");
  p.integer("window", window, 1, 4096, "in closed loop: operations that each session keeps under way");
  p.flag(
       "batches", batches,
       "in closed loop: the operations of a session's window begin together, and the next when all have been answered")
      .neutral(false);
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
  p.integer("placement_seed", placement_seed, 0, std::numeric_limits<std::uint64_t>::max(),
            "decides which server of a store has which key, where the store places keys by a hash, and which keys are "
            "small; the run's own seed decides neither")
      .neutral(0);
  p.length("swap_interval", swap_interval, 0_ns, 1000_s,
           "time between two exchanges of popularity between the hottest and the coldest keys (hot-in); 0 for never")
      .varied({0_ns, 50_us, 400_us})
      .moderate({0_ns, 400_us});
  p.integer("swap_keys", swap_keys, 1, std::uint64_t{1} << 46,
            "how many of the hottest keys exchange their popularity with as many of the coldest")
      .varied({1, 4});
  p.object("store", store);
  p.integer("preload", preload, 0, std::uint64_t{1} << 24,
            "how many of the hottest keys the store is told before the run, for caches to begin with")
      .varied({0, 8, 100})
      .moderate({8, 100});
}

void KeyValueOptions::check() const {
  if (distribution.kind == DistributionOptions::Kind::zipf || swap_interval == sim::Duration{}) return;
  throw sim::OptionError("swap_interval", "an exchange of popularity between the hottest and the coldest keys",
                         "0s, or the distribution \"zipf\", which alone ranks its keys for good");
}

// What comes in a phase follows from its length in open loop, and is the number of operations that end it in either. In
// closed loop it is bounded by what threads can begin, 10 million a second of a core (docs/hardware.md 7.3). The keys
// that change places come and go at both ends, so that twice as many are hot.
Footprint KeyValueOptions::footprint(const RunScale& scale) const {
  constexpr double kMostOfThread = 1e7;
  const double per_second =
      loop == Loop::open ? static_cast<double>(rate) : kMostOfThread * static_cast<double>(scale.nodes * threads);
  const double arrivals = per_second * scale.time.seconds() + static_cast<double>(scale.operations);
  double written = Distribution(keys, zipf, distribution).expected_distinct(arrivals * write_ratio, scale.time);
  if (swap_interval > 0_ps) written = std::min(2 * written, static_cast<double>(keys));
  if (scale.block_bytes > 0) {
    // Buckets and pairs; keys that nobody asks for cost what the table keeps of them.
    const std::uint64_t lines = blocks_in_reach(scale.nodes, scale.block_bytes);
    const double asked = Distribution(keys, zipf, distribution).expected_distinct(arrivals, scale.time);
    const auto touched = std::min(lines, static_cast<std::uint64_t>(2 * asked));
    return {.objects = touched,
            .warm_accesses = 2 * std::min(preload, keys) * scale.nodes,
            .reachable = lines,
            .of_node = touched,
            .operations = static_cast<std::uint64_t>(arrivals)};
  }
  return {.objects = static_cast<std::uint64_t>(std::llround(written)),
          .warm_accesses = 0,
          .reachable = keys,
          .of_node = std::min(preload, keys),
          .operations = static_cast<std::uint64_t>(arrivals)};
}

ItemSizes KeyValueOptions::items() const {
  return {.key_bytes = static_cast<std::uint32_t>(key_bytes),
          .small_value_bytes = static_cast<std::uint32_t>(small_value),
          .large_value_bytes = static_cast<std::uint32_t>(large_value),
          .small_share = small_share,
          .placement_seed = placement_seed};
}

std::uint64_t KeyValueOptions::blocks_in_reach(std::uint64_t, std::uint64_t block_bytes) const {
  return TableLayout::lines(store.buckets_for(keys), keys, block_bytes, items());
}

std::unique_ptr<Workload> KeyValueOptions::build(WorkloadContext& context) const {
  return std::make_unique<KeyValueWorkload>(context, *this);
}

}  // namespace racksim::models
