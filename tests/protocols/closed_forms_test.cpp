// Runs of every memory protocol and store against closed forms of their papers' quantities: hit ratios, misses,
// messages, verbs. Three per cent is what they may differ by, two standard deviations of the rarest of them.
//
// Memory protocols: n nodes access a line one after the other. Each access comes from a uniformly chosen node, and is a
// write with probability w = 1 - r. Nothing is evicted. Look back in time from an access by node i. Another's write
// takes the line away from i, another's read leaves it Shared:
//
//  * H = 1 / (1 + (n-1) w)    i has a copy: its latest access is later than the latest write of another
//  * D = w / (w + n-1)        i alone may write: its latest write is later than any access of another
//
// Both hold for each of the n nodes, so that another owns the line with probability (n-1) D, and a write finds
// (n-1) (H-D) Shared copies elsewhere on average. The protocols differ in what each of these costs.
#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "tests/tools/experiment/bare_run.hpp"
#include "tools/experiment/run_metrics.hpp"
#include "tools/scenario/scenario.hpp"

namespace closed_forms_test {

using namespace racksim;
using namespace racksim::tools;

namespace {

class Run {
 public:
  Run(const std::string& rack, const std::string& protocol, const std::string& workload, const std::string& phases)
      : scenario_(read_scenario(parse_json(fmt::format(R"({{"version": 1, "rack": {}, "seed": 5, "protocol": {},
                                                           "workload": {}, "run": {}, "check": {{"all": true}}}})",
                                                       rack, protocol, workload, phases),
                                           "test"),
                                "test.json", built_in_catalogue())),
        assembly_(parts_of(scenario_, nullptr), metrics_) {
    const RunOutcome outcome = tools::testing::bare_run(assembly_, scenario_);
    for (const auto& violation : outcome.violations) CHECK(violation.oracle + ": " + violation.what == "");
  }

  double metric(const std::string& name) const {
    INFO(name);
    const auto value = metric_value(metrics_, name);
    REQUIRE(value);
    return *value;
  }

 private:
  Scenario scenario_;
  sim::Metrics metrics_;
  Assembly assembly_;
};

struct Expected {
  std::string metric;
  double value;
};

/// Counters are held to `value` an operation, shares to `value`.
void check(const Run& run, const std::vector<Expected>& all, double operations) {
  for (const Expected& expected : all) {
    const double counted = run.metric(expected.metric);
    const double value = counted > 1 ? counted / operations : counted;
    INFO(expected.metric << " is " << value << " by the run, " << expected.value << " in closed form");
    CHECK(std::abs(value / expected.value - 1) <= 0.03);
  }
}

/// Of uniform access to lines that all share.
struct Uniform {
  double n, r;

  double w() const { return 1 - r; }
  double held() const { return 1 / (1 + (n - 1) * w()); }
  double owned() const { return w() / (w() + n - 1); }
  double owned_elsewhere() const { return (n - 1) * owned(); }
  double shared_elsewhere() const { return (n - 1) * (held() - owned()); }  // copies
  double hits() const { return r * held() + w() * owned(); }
};

constexpr int kOperations = 200'000;

/// A session a node. There are so many lines that hardly two accesses meet at one.
Run uniform(const std::string& protocol, const std::string& options, const Uniform& load, bool memory_apart) {
  const int nodes = static_cast<int>(load.n);
  const std::string roles =
      memory_apart ? fmt::format(R"(, "roles": {{"compute": {}, "memory": {}}})", nodes, nodes) : "";
  return Run(
      fmt::format(R"({{"testbed": "{}", "nodes": {}{}}})", memory_apart ? "selcc-16" : "concordia-8",
                  memory_apart ? 2 * nodes : nodes, roles),
      fmt::format(R"({{"name": "{}", "{}": {{{}}}}})", protocol, protocol, options),
      fmt::format(
          R"({{"kind": "micro", "threads": 1, "read_ratio": {}, "sharing_of": "lines", "sharing_ratio": 1, "reach": "4MiB", "warm_passes": 16}})",
          load.r),
      fmt::format(R"({{"warmup": "0us", "measure": {{"operations": {}}}}})", kOperations));
}

const std::vector<Uniform> kLoads{{8, 0.5}, {4, 0.5}};

}  // namespace

TEST_CASE("Concordia's hits, requests, invalidations and blocks are those of the closed form") {
  for (const Uniform& load : kLoads) {
    INFO(load.n << " nodes, " << load.r << " reads");
    const Run run = uniform("flowcc", R"("cache": "64MiB", "ownership": "switch")", load, false);
    const double misses = 1 - load.held();
    check(run,
          {{"flowcc.local_hit_share", load.hits()},
           {"flowcc.requests.read_miss", load.r * misses},
           {"flowcc.requests.write_miss", load.w() * misses},
           {"flowcc.requests.write_shared", load.w() * (load.held() - load.owned())},
           {"flowcc.data_blocks", misses},
           {"flowcc.invalidations", load.w() * (load.n - 1) * load.held()},
           {"flowcc.write_backs", load.r * load.owned_elsewhere()}},
          kOperations);
  }
}

// A line's home has its memory, and no copy: it reads what no other owns, and writes what no other has a copy of, which
// is where its own write is later than any access of another: D again.
TEST_CASE("GAM's hits, workflows and messages are those of the closed form") {
  for (const Uniform& load : kLoads) {
    INFO(load.n << " nodes, " << load.r << " reads");
    const Run run = uniform("gam", R"("consistency": "sc", "cache": "64MiB")", load, false);
    const double home = 1 / load.n, remote = 1 - home;
    const double others_own = (load.n - 2) * load.owned();  // not the home, nor the node that asks
    const double others_share = (load.n - 2) * (load.held() - load.owned());
    const double home_write_shared = 1 - load.owned() - load.owned_elsewhere();
    const double remote_write_shared = 1 - 2 * load.owned() - others_own;
    const double messages =
        home * (2 * load.owned_elsewhere() + load.w() * 2 * load.shared_elsewhere()) +
        remote * (load.r * (2 * (1 - load.held() - others_own) + 4 * others_own) +
                  load.w() * (5 * others_own + 2 * load.owned() + 2 * others_share + 2 * remote_write_shared));
    check(run,
          {{"gam.hit_ratio",
            home * (load.r * (1 - load.owned_elsewhere()) + load.w() * load.owned()) + remote * load.hits()},
           {"gam.workflows.home_read_dirty", home * load.r * load.owned_elsewhere()},
           {"gam.workflows.home_write_dirty", home * load.w() * load.owned_elsewhere()},
           {"gam.workflows.home_write_shared", home * load.w() * home_write_shared},
           {"gam.workflows.remote_read_clean", remote * load.r * (1 - load.held() - others_own)},
           {"gam.workflows.remote_read_dirty", remote * load.r * others_own},
           {"gam.workflows.remote_write_dirty", remote * load.w() * others_own},
           {"gam.workflows.remote_write_unshared", remote * load.w() * load.owned()},
           {"gam.workflows.remote_write_shared", remote * load.w() * remote_write_shared},
           {"gam.messages.handled", messages}},
          kOperations);
  }
}

// A Shared line has two sharers at least, for one of them gave it to the other.
TEST_CASE("SELCC's hits, misses and invalidations by case are those of the closed form") {
  for (const Uniform& load : kLoads) {
    INFO(load.n << " nodes, " << load.r << " reads");
    const Run run = uniform("selcc", R"("cache": "64MiB")", load, true);
    check(run,
          {{"selcc.local_share", load.hits()},
           {"selcc.misses.shared", load.r * (1 - load.held())},
           {"selcc.misses.modified", load.w() * (1 - load.held())},
           {"selcc.misses.upgrade", load.w() * (load.held() - load.owned())},
           {"selcc.invalidations.case1", load.w() * load.owned_elsewhere()},
           {"selcc.invalidations.case2", load.r * load.owned_elsewhere()},
           {"selcc.invalidations.case3", load.w() * load.shared_elsewhere()},
           {"selcc.invalidation_share", load.r * load.owned_elsewhere() + load.w() * (1 - load.owned())}},
          kOperations);
  }
}

TEST_CASE("the RPC directory's hits, invalidations and pages are those of the closed form") {
  for (const Uniform& load : kLoads) {
    INFO(load.n << " nodes, " << load.r << " reads");
    const Run run = uniform("rpc-directory", R"("cache": "64MiB")", load, true);
    check(run,
          {{"rpc_directory.local_share", load.hits()},
           {"rpc_directory.misses.upgrade", load.w() * (load.held() - load.owned())},
           {"rpc_directory.redirected", load.owned_elsewhere()},
           {"rpc_directory.invalidations", load.w() * load.shared_elsewhere()},
           {"rpc_directory.given", load.w() * load.owned_elsewhere()},
           {"rpc_directory.shared_out", load.r * load.owned_elsewhere()}},
          kOperations);
  }
}

// Whoever caches nothing takes the latch, reads, writes if it has to, and gives the latch back.
TEST_CASE("SEL's verbs are those of the closed form") {
  const Uniform load = kLoads.front();
  const Run run = uniform("sel", "", load, true);
  check(run,
        {{"sel.verbs.fetch_add", 2 * load.r + load.w()},
         {"sel.verbs.compare_swap", load.w()},
         {"sel.verbs.read", 1},
         {"sel.verbs.write", load.w()}},
        kOperations);
}

// Stores: keys have ranks, and that of rank k is asked for in proportion to k^-zipf.

namespace {

/// What share of requests is for the `hottest` of `keys`.
double zipf_mass(int hottest, int keys, double zipf) {
  double of_hottest = 0, of_all = 0;
  for (int rank = 1; rank <= keys; ++rank) {
    of_all += std::pow(rank, -zipf);
    if (rank == hottest) of_hottest = of_all;
  }
  return of_hottest / of_all;
}

constexpr int kKeys = 100'000;
constexpr double kZipf = 0.99;

/// Open loop, at a rate that all servers bear.
Run store(const std::string& protocol, const std::string& options, double write_ratio) {
  return Run(
      R"({"testbed": "starcache-8"})", fmt::format(R"({{"name": "{}", "{}": {{{}}}}})", protocol, protocol, options),
      fmt::format(
          R"({{"kind": "key-value", "keys": {}, "zipf": {}, "rate": 1000000, "write_ratio": {}, "small_share": 1, "preload": 64}})",
          kKeys, kZipf, write_ratio),
      fmt::format(R"({{"warmup": "5ms", "measure": {{"operations": {}}}, "drain": "100ms"}})", kOperations));
}

}  // namespace

// What the switch answers is what is asked for of the keys that it caches.
TEST_CASE("StarCache's switch answers what Zipf's law has of the keys that it caches") {
  const Run run = store("starcache", R"("cache_size": 32)", 0);
  check(run, {{"store.switch_share", zipf_mass(32, kKeys, kZipf)}}, kOperations);
}

// A put of a cached key updates the N-1 other caches, and under Lin invalidates them first and has their
// acknowledgements. All nodes get requests alike; of what no cache has, the N-1 others' part is remote (EuroSys 2018, §8.7).
TEST_CASE("ccKVS's hits, requests and consistency messages are those of the closed form") {
  constexpr int kNodes = 9, kHot = 20'000;
  constexpr double kWrites = 0.1, kFlat = 0.5;  // hardly two puts of one key meet
  for (const bool lin : {false, true}) {
    INFO((lin ? "Lin" : "SC"));
    const Run run(
        R"({"testbed": "cckvs-9"})",
        fmt::format(R"({{"name": "cckvs", "cckvs": {{"consistency": "{}", "cache_keys": {}, "coalesce": 1}}}})",
                    lin ? "lin" : "sc", kHot),
        fmt::format(
            R"({{"kind": "key-value", "threads": 2, "loop": "closed", "sessions": 1, "keys": {}, "zipf": {}, "write_ratio": {}, "preload": {}}})",
            kKeys, kFlat, kWrites, kHot),
        fmt::format(R"({{"warmup": "20us", "measure": {{"operations": {}}}, "drain": "10ms"}})", kOperations));
    const double hits = zipf_mass(kHot, kKeys, kFlat);
    const double others = static_cast<double>(kNodes - 1) / kNodes;
    const double messages = kWrites * hits * (kNodes - 1);
    std::vector<Expected> all{{"store.cache_share", hits},
                              {"store.remote_share", (1 - hits) * others},
                              {"store.local_share", (1 - hits) / kNodes},
                              {"cckvs.requests.packets", (1 - hits) * others},
                              {"cckvs.responses.packets", (1 - hits) * others},
                              {"cckvs.updates.packets", messages}};
    if (lin) {
      all.push_back({"cckvs.invalidations.packets", messages});
      all.push_back({"cckvs.acknowledgements.packets", messages});
    }
    check(run, all, kOperations);
  }
}

}  // namespace closed_forms_test
