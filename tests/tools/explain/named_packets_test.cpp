// The charts of failures that were shrunk to named packets hold every packet that a fault names, whatever became of it.
//
// What shrinking does to noise is done here: the run is repeated to see which packets it hit, and faults that name those
// replace it. Which packets are named is counted anew, wire by wire, from the faults as the scenario writes them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <optional>

#include "models/rack/rack.hpp"
#include "tests/places.hpp"
#include "tools/experiment/experiment.hpp"
#include "tools/explain/chart.hpp"
#include "tools/explain/recorder.hpp"
#include "tools/fuzz/fuzz.hpp"
#include "tools/fuzz/noise_log.hpp"
#include "tools/fuzz/trial.hpp"
#include "tools/scenario/composition.hpp"

namespace named_packets_test {

using namespace racksim;
using namespace racksim::tools;

namespace {

const Catalogue& built_in() {
  static const Catalogue catalogue = built_in_catalogue();
  return catalogue;
}

/// Sees when the packets set out that named faults hit.
class NamedPackets final : public models::PacketObserver {
 public:
  NamedPackets(models::Rack& rack, const JsonValue& faults, sim::Time until) : until_(until) {
    for (const JsonValue& fault : *faults.elements()) {
      const auto node = static_cast<models::NodeId>(*fault.find("node")->natural());
      const bool up = *fault.find("direction")->string() == "to_switch";
      const auto source = up ? rack.uplink(node).source() : rack.downlink(node).source();
      const auto* first = fault.find("first");
      wires_[source.index].named.push_back(first != nullptr ? *first->natural() : 1);
    }
    rack.context().add_packet_observer(*this);
  }
  void on_wire(const p4::Packet&, const models::WirePassage& passage) override {
    if (!passage.copy) count(passage.wire, passage.start);
  }
  void dropped(const p4::Packet&, sim::Source where, sim::Time at, models::DropReason) override { count(where, at); }
  void delivered(const p4::Packet&, sim::Source, sim::Time) override {}
  void pass_begins(const p4::Packet&, unsigned, sim::Time, bool) override {}
  void switch_written(const models::SwitchWrite&) override {}

  std::vector<sim::Time> departures;

 private:
  struct OneWire {
    std::uint64_t packets = 0;
    std::vector<std::uint64_t> named;
  };
  void count(sim::Source where, sim::Time at) {
    const auto wire = wires_.find(where.index);
    if (wire == wires_.end()) return;
    ++wire->second.packets;
    const auto& named = wire->second.named;
    const bool hit = std::find(named.begin(), named.end(), wire->second.packets) != named.end();
    if (hit && at <= until_) departures.push_back(at);
  }

  sim::Time until_;
  std::map<std::uint32_t, OneWire> wires_;
};

/// What a chart of the run's first violation with a key lacks: the instants at which named packets set out. "no chart"
/// if no violation has a key.
std::string missing_in_chart(const JsonValue& document) {
  const Scenario scenario = read_scenario(document, "shrunk", built_in());
  const std::string found = answer_of(
                                [&] {
                                  sim::Metrics metrics;
                                  const RunResult result = run_experiment(scenario, metrics, "", {});
                                  for (const auto& violation : result.violations) {
                                    if (violation.about.key) {
                                      return fmt::format("{} {}", violation.about.key->number(), violation.at.ps());
                                    }
                                  }
                                  return std::string();
                                },
                                "")
                                .text;
  if (found.empty()) return "no chart";
  const sim::Key key{std::uint64_t{std::stoull(found)}};
  const sim::Time until = sim::Time::from_ps(std::stoll(found.substr(found.find(' '))));
  return answer_of(
             [&] {
               sim::Metrics metrics;
               explain::Recorder recorder({key, {}, until, {}});
               std::optional<NamedPackets> named;
               run_experiment(scenario, metrics, "", {}, nullptr,
                              [&](models::Rack& rack, const models::Protocol& protocol) {
                                recorder.attach(rack, protocol);
                                named.emplace(rack, *document.find("faults"), until);
                              });
               const auto chart = explain::make_chart(recorder.history(), {}, until);
               std::string missing = fmt::format("{} named;", named->departures.size());
               for (const sim::Time at : named->departures) {
                 const bool shown = std::any_of(chart.rows.begin(), chart.rows.end(), [&](const explain::Row& row) {
                   return row.left_out == 0 && !row.event.to.empty() && row.event.sent == at;
                 });
                 if (!shown) missing += fmt::format(" {}", sim::printed(at));
               }
               return missing;
             },
             "")
      .text;
}

/// Faults by name in the place of noise, as few as can be found in a few runs. Null if they do not bring the failure about.
std::optional<JsonValue> with_packets_named(const JsonValue& document) {
  const TrialLimits limits{1, std::chrono::milliseconds(120'000)};
  const auto noise = scenario_runner(built_in(), TrialDetail::noise);
  const auto plain = scenario_runner(built_in(), TrialDetail::none);
  const TrialResult failure = try_once(limits, [&] { return noise(document); });
  INFO(failure.what);
  REQUIRE(failure.verdict == TrialResult::Verdict::failed);
  auto effects = noise_from_text(failure.noise);
  std::size_t runs = 0;
  const auto fails = [&](const std::vector<NoiseEffect>& some) {
    ++runs;
    return try_once(limits, [&] { return plain(with_noise_replaced(document, some)); }).shows(failure.kind);
  };
  if (effects.empty() || !fails(effects)) return std::nullopt;
  for (std::size_t size = effects.size() / 2; size > 0 && runs < 50; size /= 2) {
    for (std::size_t begin = 0; begin < effects.size() && runs < 50;) {
      auto fewer = effects;
      const auto at = fewer.begin() + static_cast<std::ptrdiff_t>(begin);
      fewer.erase(at, at + static_cast<std::ptrdiff_t>(std::min(size, effects.size() - begin)));
      if (!fewer.empty() && fails(fewer)) {
        effects = std::move(fewer);
      } else {
        begin += size;
      }
    }
  }
  if (effects.size() > explain::Recorder::kNamed) return std::nullopt;
  return with_noise_replaced(document, effects);
}

}  // namespace

TEST_CASE("the chart of a failure that faults by name bring about holds every packet that they name", "[explain]") {
  // Safety mechanisms turned off, on wires that lose, double and reorder packets.
  for (const char* name :
       {"flowcc/mechanisms.json/without-scoreboard", "flowcc/mechanisms.json/without-check-table",
        "selcc/mechanisms.json/without-giver-waits", "rpc-directory/mechanisms.json/without-versions",
        "netcache/mechanisms.json/without-ordered-updates"}) {
    CAPTURE(name);
    JsonValue document = Composition(places::source_folder() + "/scenarios/regress/" + name).document();
    for (const char* key : {"$schema", "doc", "expect", "observe"}) document.erase(key);
    const auto shrunk = with_packets_named(document);
    REQUIRE(shrunk);
    const std::string missing = missing_in_chart(*shrunk);
    CHECK_THAT(missing, Catch::EndsWith(" named;") && !Catch::StartsWith("0 "));
  }
}

}  // namespace named_packets_test
