// Components made up for tests: a rack, two protocols, a workload, a fault and two oracles.
#pragma once

#include <memory>
#include <string>

#include "tools/scenario/catalogue.hpp"

namespace racksim::tools::testing {

using namespace sim::literals;

struct FakeRack {
  std::uint64_t nodes = 2;
  std::uint64_t link_rate = 100'000'000'000;
  sim::Duration link_delay = 250_ns;

  void declare(sim::Parameters& parameters) {
    parameters.integer("nodes", nodes, 1, 16, "Number of servers.");
    parameters.rate("link.rate", link_rate, 1'000'000'000, 400'000'000'000, "Rate of each link.");
    parameters.length("link.delay", link_delay, 0_ns, 1_ms, "Propagation delay of each link.");
  }
};

enum class Ownership { home, in_switch };

struct FakeOptions {
  Ownership ownership = Ownership::home;
  std::uint64_t cache_bytes = 1U << 20U;
  bool scoreboard = true;

  void declare(sim::Parameters& parameters) {
    parameters.choice("ownership", ownership, {{"home", Ownership::home}, {"switch", Ownership::in_switch}},
                      "Who owns.");
    parameters.size("cache.bytes", cache_bytes, 4096, 1ULL << 33U, "Size of the cache.");
    parameters.flag("scoreboard", scoreboard, "Whether the scoreboard is used.");
  }
};

struct FakeWorkload {
  double read_ratio = 0.5;
  std::string label;

  void declare(sim::Parameters& parameters) {
    parameters.ratio("read_ratio", read_ratio, "Share of reads.");
    parameters.text("label", label, "Free text.");
  }
};

struct FakeFault {
  double probability = 0.01;

  void declare(sim::Parameters& parameters) { parameters.ratio("probability", probability, "Share of lost packets."); }
};

template <class Options>
OptionsEntry fake_entry(std::string name) {
  return {std::move(name), "A fake.", [](sim::Parameters& parameters) -> std::shared_ptr<void> {
            auto options = std::make_shared<Options>();
            options->declare(parameters);
            return options;
          }};
}

inline Catalogue fake_catalogue() {
  Catalogue catalogue;
  catalogue.rack = fake_entry<FakeRack>("rack");
  catalogue.protocols = {fake_entry<FakeOptions>("alpha"), fake_entry<FakeOptions>("beta")};
  catalogue.workloads = {fake_entry<FakeWorkload>("micro")};
  catalogue.faults = {fake_entry<FakeFault>("loss")};
  catalogue.programs = {{"alpha-program", "A fake program."}};
  catalogue.oracles = {{{"single-writer", "One writer."}}, {{"conservation", "No packet vanishes."}}};
  return catalogue;
}

}  // namespace racksim::tools::testing
