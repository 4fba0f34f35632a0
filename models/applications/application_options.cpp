// Options, footprint and registration of applications. See application_options.hpp.
#include "models/applications/application_options.hpp"

#include <algorithm>

#include "models/service/memory_service.hpp"

namespace racksim::app {

using namespace sim::literals;

void ApplicationOptions::declare(sim::Parameters& p) {
  p.integer("threads", threads, 1, 64, "application threads on each node").varied_from(1);
  p.choice("loop", loop, {{"closed", Loop::closed}, {"open", Loop::open}},
           "whether a thread begins an operation as its last one ends, or at the instants of a Poisson process")
      .neutral(Loop::closed);
  p.integer("rate", rate, 1, 1'000'000'000, "operations a second of all threads together, in open loop")
      .neutral(100'000);
  if (!application->lays_out_itself()) declare_regions(p);
  p.integer("retries", retries, 0, 1'000'000'000, "attempts at an operation beside the first, then it is given up");
  p.length("backoff", backoff, 0_ps, 1_s,
           "before another attempt a pause is drawn, up to so long (assumed); 0: threads that refuse each other may do "
           "so for "
           "ever")
      .varied({1_us, 5_us, 20_us});
  p.integer("backoff_doublings", backoff_doublings, 0, 20,
            "how often the longest pause is doubled, once for each further attempt at the same operation")
      .neutral(0);
  if (!application->lays_out_itself()) {
    p.integer("warm_slots", warm_slots, 0, std::uint64_t{1} << 40,
              "slots of each region that each thread reads before the run, by their popularity")
        .varied({0, 20});
  }
  application->declare(p);
}

void ApplicationOptions::declare_regions(sim::Parameters& p) {
  p.choice("layout", layout, {{"packed", SlotLayout::packed}, {"padded", SlotLayout::padded}},
           "whether slots share lines, of which each has as many as fit, or lie alone")
      .neutral(SlotLayout::packed)
      .varied({SlotLayout::packed, SlotLayout::padded});
  p.real("zipf", zipf, 0, 2, "skew of the popularity of a region's slots").neutral(0.0).varied({0.0, 0.99});
  p.object("distribution", distribution);
}

models::Footprint ApplicationOptions::footprint(const models::RunScale& scale) const {
  if (scale.block_bytes == 0) models::WorkloadContext::refuse(name, models::MemoryService::kWhat);
  constexpr double kMostOfThread = 1e7;
  const Needs needs = application->needs();
  const std::uint64_t lines = Regions::lines(needs.regions, layout, scale.block_bytes) +
                              application->lines(scale.block_bytes, static_cast<unsigned>(scale.nodes));
  const double most = scale.time.seconds() * static_cast<double>(scale.nodes * threads) * kMostOfThread;
  return {.objects = lines,
          .warm_accesses = (warm_slots * needs.regions.size() + application->warm_lines()) * threads * scale.nodes,
          .reachable = lines,
          .of_node = lines,
          .operations = scale.operations + static_cast<std::uint64_t>(most)};
}

std::uint64_t ApplicationOptions::blocks_in_reach(std::uint64_t nodes, std::uint64_t block_bytes) const {
  return Regions::lines(application->needs().regions, layout, block_bytes) +
         application->lines(block_bytes, static_cast<unsigned>(nodes));
}

std::vector<std::string> ApplicationOptions::oracles(std::uint64_t) const {
  std::vector<std::string> names{"application", "one-call"};
  for (std::string& name : application->oracles()) names.push_back(std::move(name));
  return names;
}

models::WorkloadEntry workload_of(std::string name, std::string doc, std::shared_ptr<Application> (*make)()) {
  return {.name = name, .doc = std::move(doc), .make_options = [name, make] {
            return std::make_shared<ApplicationOptions>(name, make());
          }};
}

}  // namespace racksim::app
