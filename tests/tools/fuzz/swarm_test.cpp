// What a swarm derives from a template: the same for the same numbers, within what declarations allow.
#include "tools/fuzz/swarm.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <tuple>

#include "models/service/protocol.hpp"
#include "tools/files/data_files.hpp"
#include "tools/scenario/composition.hpp"
#include "tools/text/units.hpp"

namespace swarm_test {

using namespace racksim::tools;

namespace {

const Catalogue& catalogue() {
  static const Catalogue built_in = built_in_catalogue();
  return built_in;
}

Swarm swarm_of(const char* name, std::uint64_t seed = 1, const std::vector<std::string>& overrides = {}) {
  return load_swarm(name, catalogue(), overrides, seed);
}

constexpr const char* kHarsh = "scenarios/regress/flowcc/shipped.json/harsh";

/// The value at a dotted path as canonical text; empty if there is none.
std::string at(const JsonValue& document, const std::string& path) {
  const auto dot = path.find('.');
  const auto* inner = document.find(path.substr(0, dot));
  if (!inner) return "";
  return dot == std::string::npos ? to_canonical_json(*inner) : at(*inner, path.substr(dot + 1));
}

/// All values that a path takes in the first `runs` derived scenarios.
std::set<std::string> values(const Swarm& swarm, const std::string& path, std::uint64_t runs = 200) {
  std::set<std::string> found;
  for (std::uint64_t i = 0; i < runs; ++i) found.insert(at(swarm.derive(i), path));
  return found;
}

}  // namespace

TEST_CASE("a derived scenario depends on template and seed and number alone") {
  const Swarm one = swarm_of(kHarsh), other = swarm_of(kHarsh);
  const std::string seventh = to_json(one.derive(7));
  for (std::uint64_t i = 0; i < 5; ++i) other.derive(i);
  CHECK(to_json(other.derive(7)) == seventh);
  CHECK(to_json(one.derive(8)) != seventh);
  CHECK(to_json(swarm_of(kHarsh, 2).derive(7)) != seventh);
}

TEST_CASE("every derived scenario can be read") {
  for (const char* name : {kHarsh, "scenarios/quickstart.json"}) {
    const Swarm swarm = swarm_of(name);
    for (std::uint64_t i = 0; i < 200; ++i) CHECK_NOTHROW(read_scenario(swarm.derive(i), "derived", catalogue()));
  }
}

TEST_CASE("a derived scenario tells what of all that may vary it has drawn") {
  const Swarm swarm = swarm_of(kHarsh);
  const std::vector<std::string> names = swarm.draws();
  std::vector<std::uint64_t> counts(names.size());
  for (std::uint64_t run = 0; run < 300; ++run) {
    const JsonValue derived = swarm.derive(run);
    const std::vector<std::uint64_t> drawn = swarm.drawn_in(derived);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool told = std::count(drawn.begin(), drawn.end(), i) == 1;
      counts[i] += told ? 1 : 0;
      INFO(run << " " << names[i]);
      if (names[i].starts_with("fault ")) {
        const std::string kind = "\"kind\":\"" + names[i].substr(6) + "\"";
        CHECK(told == (to_canonical_json(*derived.find("faults")).find(kind) != std::string::npos));
      } else if (names[i] == "workload.read_ratio") {  // which the template does not give
        CHECK(told == !at(derived, names[i]).empty());
      } else if (names[i] == "rack.nodes") {  // 4 in the template
        CHECK(told == (at(derived, names[i]) != "4"));
      }
    }
  }
  CHECK(std::find(names.begin(), names.end(), "fault drop") != names.end());
  CHECK(std::count(counts.begin(), counts.end(), 0u) == 0);
  const Swarm pinned = swarm_of(kHarsh, 1, {"faults=[]", "rack.nodes=3"});
  for (const std::string& name : pinned.draws()) {
    CHECK(name != "rack.nodes");
    CHECK_FALSE(name.starts_with("fault "));
  }
}

TEST_CASE("runs draw nodes and threads up to the template's and all declared alternatives") {
  const Swarm swarm = swarm_of(kHarsh);
  CHECK(values(swarm, "rack.nodes") == std::set<std::string>{"2", "3", "4"});
  CHECK(values(swarm, "workload.threads") == std::set<std::string>{"1", "2"});
  // "" is the template's choice, which leaves the default.
  CHECK(values(swarm, "protocol.flowcc.ownership") == std::set<std::string>{"", "\"home\"", "\"switch\""});
  CHECK(values(swarm, "workload.read_ratio") == std::set<std::string>{"", "0.0", "0.2", "0.8", "0.95"});
}

TEST_CASE("a large rack is never drawn smaller than its roles need") {
  CHECK(values(swarm_of("scenarios/fuzz/selcc-58.json"), "rack.nodes") == std::set<std::string>{"58", "59", "60"});
}

TEST_CASE("FlowCC's template draws from two to sixteen nodes, all equally often") {
  const Swarm swarm = swarm_of("scenarios/fuzz/flowcc.json");
  std::map<std::string, int> drawn;
  for (std::uint64_t i = 0; i < 600; ++i) ++drawn[at(swarm.derive(i), "rack.nodes")];
  CHECK(drawn.size() == 15);
  for (const auto& [nodes, runs] : drawn) {
    INFO(nodes << " nodes: " << runs << " of 600 runs");
    CHECK(runs >= 15);  // 40 expected, 6 of them the standard deviation
    CHECK(runs <= 65);
  }
}

TEST_CASE("safety mechanisms are never varied") {
  const Swarm swarm = swarm_of(kHarsh);
  for (const char* option : {"idempotence", "scoreboard", "last_unlock", "last_executed", "check_table"}) {
    CHECK(values(swarm, std::string("protocol.flowcc.") + option) == std::set<std::string>{""});
  }
}

TEST_CASE("what the command line sets is held in every run") {
  const Swarm swarm = swarm_of(kHarsh, 1,
                               {"protocol.flowcc.ownership=home", "rack.nodes=3", "run.schedule.order=lifo",
                                "protocol.flowcc.scoreboard=false"});
  CHECK(values(swarm, "protocol.flowcc.ownership") == std::set<std::string>{"\"home\""});
  CHECK(values(swarm, "protocol.flowcc.scoreboard") == std::set<std::string>{"false"});
  CHECK(values(swarm, "rack.nodes") == std::set<std::string>{"3"});
  CHECK(values(swarm, "run.schedule.order") == std::set<std::string>{"\"lifo\""});
}

TEST_CASE("runs perturb the schedule and draw every kind of fault that the protocol tolerates and none") {
  const Swarm swarm = swarm_of("scenarios/flowcc/micro.json");
  std::set<std::string> kinds, orders;
  bool without = false, with_jitter = false;
  for (std::uint64_t i = 0; i < 300; ++i) {
    const JsonValue document = swarm.derive(i);
    const auto& faults = *document.find("faults")->elements();
    without = without || faults.empty();
    for (const auto& fault : faults) kinds.insert(*fault.find("kind")->string());
    orders.insert(at(document, "run.schedule.order").substr(0, 5));
    with_jitter = with_jitter || at(document, "run.schedule.jitter") != "\"0s\"";
  }
  for (const auto& protocol : racksim::models::protocols()) {
    if (protocol.name != "flowcc") continue;
    CHECK(kinds == std::set<std::string>(protocol.tolerates.begin(), protocol.tolerates.end()));
  }
  CHECK(without);
  CHECK(with_jitter);
  CHECK(orders == std::set<std::string>{"\"fifo", "\"lifo", "\"shuf"});
}

TEST_CASE("faults of the template that only its own options tolerate are left out where those are drawn anew") {
  const Swarm swarm = swarm_of("scenarios/fuzz/flowcc-failures.json");
  int with = 0, without = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const JsonValue document = swarm.derive(i);
    const bool migrating = at(document, "protocol.flowcc.ownership") == "\"migrating\"";
    bool noise = false, fails = false;
    for (const auto& fault : *document.find("faults")->elements()) {
      const std::string kind = *fault.find("kind")->string();
      noise = noise || kind == "noise";
      fails = fails || kind == "switch-restart" || kind == "crash";
    }
    CHECK((migrating || !fails));
    with += noise && fails;
    without += noise && !migrating;
  }
  CHECK(with > 20);
  CHECK(without > 10);
}

TEST_CASE("packets are held back for longer than the longest timeout of the derived scenario, and for less") {
  using racksim::sim::Duration;
  for (const char* name : {"scenarios/fuzz/flowcc.json", "scenarios/fuzz/starcache.json",
                           "scenarios/fuzz/netcache.json", "scenarios/fuzz/nocache.json"}) {
    INFO(name);
    const Swarm swarm = swarm_of(name);
    int longer = 0, shorter = 0;
    for (std::uint64_t i = 0; i < 400 || (longer == 0 && i < 2000); ++i) {
      const Scenario scenario = read_scenario(swarm.derive(i), "derived", catalogue());
      const auto& protocol = scenario.protocol.options;
      const auto& rack = *scenario.rack.options;
      const Duration timeout = protocol->longest_timeout(rack);
      CHECK(timeout > Duration{});
      for (const auto& fault : scenario.faults) {
        for (const auto& parameter : fault.parameters.all()) {
          if (parameter.name != "delay" || fault.name != "hold") continue;
          const Duration delay = *std::get<racksim::sim::Parameter::Length>(parameter.kind).target;
          CHECK(delay <= std::max(timeout, rack.nic.rc_retransmission_timeout) * 4);
          ++(delay > timeout ? longer : shorter);
        }
      }
    }
    CHECK(longer > 0);
    CHECK(shorter > 0);
  }
}

TEST_CASE("sizes beyond all alternatives are never kept") {
  const Swarm swarm = swarm_of("scenarios/quickstart.json");
  CHECK(values(swarm, "workload.shared_bytes") ==
        std::set<std::string>{"\"4KiB\"", "\"8KiB\"", "\"16KiB\"", "\"64KiB\""});
}

TEST_CASE("derived runs are short and expect nothing and are checked") {
  const Swarm swarm = swarm_of("scenarios/regress/flowcc/mechanisms.json/without-scoreboard");
  for (std::uint64_t i = 0; i < 20; ++i) {
    const Scenario scenario = read_scenario(swarm.derive(i), "derived", catalogue());
    CHECK_FALSE(scenario.expect.pass.has_value());
    REQUIRE(scenario.run.measure.operations.has_value());
    CHECK(*scenario.run.measure.operations <= 1500);
    for (std::size_t c = 0; c < scenario.checks.size(); ++c) {
      const std::string& oracle = scenario.checks[c].name;
      const std::set<std::string> promises{"bounded-waiting", "cost", "data-value", "lock-fairness",
                                           "mutual-exclusion"};
      const bool promised = promises.contains(oracle);
      const auto asked = catalogue().oracles[c].attach;
      CHECK(scenario.checks[c].on == (asked == racksim::models::OracleEntry::AttachWhen::always ||
                                      (asked == racksim::models::OracleEntry::AttachWhen::if_promised && promised)));
    }
  }
}

namespace {

bool is_calm(const JsonValue& document) {
  return document.find("faults")->elements()->empty() && document.find("run")->find("expect_timeouts") == nullptr;
}

/// The documents of the first runs that are calm by design: their template's `expect` is there.
std::vector<JsonValue> calm_runs(const Swarm& swarm, std::uint64_t runs = 400) {
  std::vector<JsonValue> calm;
  for (std::uint64_t i = 0; i < runs; ++i) {
    JsonValue document = swarm.derive(i);
    if (document.find("expect") != nullptr) calm.push_back(std::move(document));
  }
  return calm;
}

constexpr const char* kTemplates[] = {"scenarios/fuzz/flowcc.json", "scenarios/fuzz/nocache.json",
                                      "scenarios/fuzz/netcache.json", "scenarios/fuzz/starcache.json"};

}  // namespace

TEST_CASE("half of the runs are calm: no faults, little jitter, and the template's expectations") {
  for (const char* name : kTemplates) {
    INFO(name);
    const Swarm swarm = swarm_of(name);
    const auto calm = calm_runs(swarm);
    CHECK(calm.size() > 160);
    CHECK(calm.size() < 240);
    std::set<std::string> jitters;
    for (const JsonValue& document : calm) {
      CHECK(is_calm(document));
      CHECK(to_canonical_json(*document.find("expect")) ==
            to_canonical_json(*Composition(find_scenario_file(name)).document().find("expect")));
      jitters.insert(at(document, "run.schedule.jitter"));
    }
    CHECK(jitters == std::set<std::string>{"\"0s\"", "\"5ns\"", "\"200ns\""});
  }
}

TEST_CASE("calm runs have only moderate values and no timeout below its default") {
  for (const char* name : kTemplates) {
    INFO(name);
    const Swarm swarm = swarm_of(name);
    const Scenario& original = swarm.original();
    const std::string protocol = "protocol." + original.protocol.name;
    const auto check = [&](const std::string& prefix, const auto& component) {
      racksim::sim::Parameters defaults;
      const auto owner = component.make(defaults);
      for (const auto& parameter : defaults.all()) {
        const std::string path = prefix + "." + parameter.name;
        INFO(path);
        std::set<std::string> moderate{at(Composition(find_scenario_file(name)).document(), path)};
        const auto* length = std::get_if<racksim::sim::Parameter::Length>(&parameter.kind);
        for (const JsonValue& document : calm_runs(swarm, 60)) {
          const std::string value = at(document, path);
          if (parameter.timeout && length && !value.empty()) {
            CHECK(parse_length(value.substr(1, value.size() - 2)) >= *length->target);
          } else if (parameter.moderate && parameter.moderate->empty()) {
            CHECK(moderate.count(value) == 1);
          }
        }
      }
    };
    check(protocol, *find_entry(catalogue().protocols, original.protocol.name));
    check("workload", *find_entry(catalogue().workloads, original.workload.name));
  }
}

TEST_CASE("calm runs have only values with which the mechanism is in play, others have any") {
  const Swarm swarm = swarm_of("scenarios/fuzz/netcache.json");
  const std::string path = "protocol.netcache.cache_entries";
  std::set<std::string> calm;
  for (const JsonValue& document : calm_runs(swarm, 200)) calm.insert(at(document, path));
  CHECK(calm == std::set<std::string>{"64", "1024"});
  CHECK(values(swarm, path) == std::set<std::string>{"4", "64", "1024"});
}

TEST_CASE("a run that draws more load than is moderate, a shorter timeout or much jitter expects timeouts") {
  const Swarm swarm = swarm_of("scenarios/fuzz/flowcc.json");
  std::size_t strained = 0, judged = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    const JsonValue document = swarm.derive(i);
    const bool expects = at(document, "run.expect_timeouts") == "true";
    const std::string timeout = at(document, "protocol.flowcc.request_timeout_rtts");
    const bool short_timeout = timeout == "1" || timeout == "2";
    const bool slow = at(document, "protocol.flowcc.costs.home_agent") == "\"5us\"";
    const bool jitter = at(document, "run.schedule.jitter") == "\"2us\"";
    if (short_timeout || slow || jitter) CHECK(expects);
    ++(expects ? strained : judged);
  }
  CHECK(strained > 40);
  CHECK(judged > 270);  // the calm half, the patient quarter and more
}

TEST_CASE("a quarter of the runs are patient: faults, but no timeout below its default, and time to wait for it") {
  for (const std::string protocol : {"starcache", "netcache", "nocache"}) {
    const Swarm swarm = swarm_of(("scenarios/fuzz/" + protocol + ".json").c_str());
    INFO(protocol);
    int patient = 0;
    for (std::uint64_t i = 0; i < 400; ++i) {
      const JsonValue document = swarm.derive(i);
      if (document.find("expect") != nullptr || at(document, "run.expect_timeouts") == "true") continue;
      // Hurried runs may have drawn nothing that strains, a timeout above the template's among it.
      if (at(document, "protocol." + protocol + ".timeout") != "\"5ms\"") continue;
      ++patient;
      const Scenario scenario = read_scenario(document, "derived", catalogue());
      const auto& options = scenario.protocol.options;
      const auto& rack = *scenario.rack.options;
      CHECK(scenario.run.drain >= 3 * options->longest_timeout(rack));
      CHECK(scenario.run.time_limit > scenario.run.drain);
    }
    CHECK(patient > 70);
    CHECK(patient < 140);
  }
}

TEST_CASE("what the command line sets holds in calm runs, and faults that it gives leave no run calm") {
  const Swarm slow = swarm_of("scenarios/fuzz/flowcc.json", 1, {"protocol.flowcc.request_timeout_rtts=1"});
  CHECK(values(slow, "protocol.flowcc.request_timeout_rtts") == std::set<std::string>{"1"});
  const Swarm faulty = swarm_of("scenarios/fuzz/flowcc.json", 1, {R"(faults=[{"kind": "down"}])"});
  CHECK(values(faulty, "faults") == std::set<std::string>{R"([{"kind":"down"}])"});
  CHECK(calm_runs(faulty).empty());
}

TEST_CASE("a redraw of a run is another scenario under the same name, the same each time") {
  const Swarm swarm = swarm_of(kHarsh);
  CHECK(to_json(swarm.derive(7, 1)) != to_json(swarm.derive(7)));
  CHECK(to_json(swarm.derive(7, 1)) != to_json(swarm.derive(7, 2)));
  CHECK(to_json(swarm.derive(7, 2)) == to_json(swarm_of(kHarsh).derive(7, 2)));
  CHECK(at(swarm.derive(7, 2), "name") == at(swarm.derive(7), "name"));
}

TEST_CASE("after-effects of faults last no longer where the drain is long for machines that stay down") {
  const Swarm swarm = swarm_of("scenarios/fuzz/netcache.json");
  std::size_t as_long = 0, longer = 0;
  for (std::uint64_t index = 0; index < 400; ++index) {
    const JsonValue document = swarm.derive(index);
    const auto* settling = document.find("run")->find("settling");
    if (settling == nullptr) continue;  // not patient
    bool stays_down = false;
    for (const auto& fault : *document.find("faults")->elements()) {
      const auto* flag = fault.find("stays_down");
      stays_down = stays_down || (flag && *flag->boolean());
    }
    const auto drain = parse_length(*document.find("run")->find("drain")->string());
    CHECK(drain >= parse_length(*settling->string()));
    ++(drain > parse_length(*settling->string()) ? longer : as_long);
    if (!stays_down) CHECK(drain == parse_length(*settling->string()));
  }
  CHECK(longer > 0);
  CHECK(as_long > longer);
}

TEST_CASE("after-effects of faults may last as long as the template says") {
  const Swarm swarm = swarm_of("scenarios/fuzz/flowcc-migrating.json");
  std::size_t patient = 0;
  for (std::uint64_t index = 0; index < 50; ++index) {
    const JsonValue document = swarm.derive(index);
    const auto* settling = document.find("run")->find("settling");
    if (document.find("run")->find("drain") == nullptr || settling == nullptr) continue;
    ++patient;
    CHECK(parse_length(*settling->string()) >= parse_length("60ms"));
  }
  CHECK(patient > 0);
}

}  // namespace swarm_test
