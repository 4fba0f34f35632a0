// See limit.hpp.
#include "tools/report/limit.hpp"

#include <fmt/core.h>

#include "tools/experiment/run_metrics.hpp"
#include "tools/text/numbers.hpp"

namespace racksim::tools {
namespace {

/// A resource that works for so much of the window is what limits the run.
constexpr double kLimits = 0.95;

/// Of those that have all hands full the one for which most wait, else the busiest; null for an empty window. Where
/// nobody counts who waits it is no limit that is seen: a full buffer comes of one, and what circulates idle fills a
/// recirculation port.
const models::BusiestResource* foremost(const std::vector<models::BusiestResource>& busiest) {
  const models::BusiestResource* most = nullptr;
  for (const auto& one : busiest) {
    if (!one.queue) continue;
    if (most == nullptr || (one.busy >= kLimits && one.queue->mean > most->queue->mean)) most = &one;
  }
  return most;
}

}  // namespace

const models::BusiestResource* limiting_resource(const std::vector<models::BusiestResource>& busiest) {
  const models::BusiestResource* most = foremost(busiest);
  return most != nullptr && most->busy >= kLimits ? most : nullptr;
}

std::string limit_text(const RunResult& result, const sim::Metrics& metrics) {
  const models::BusiestResource* most = foremost(result.busiest);
  if (most == nullptr || result.measured <= sim::Duration{}) return "";
  const std::string who = fmt::format("{} ({})", most->kind, most->name);
  if (most->busy >= kLimits) {
    return fmt::format("{}, at work for {} of the window; {} wait for it in the mean, {} at most, one for {}", who,
                       shown_percent(most->busy), shown_number(most->queue->mean), most->queue->most,
                       shown_duration(most->queue->longest_wait.ns()));
  }
  std::string text =
      fmt::format("latency: the busiest resource, {}, is at work for {} of the window", who, shown_percent(most->busy));
  if (result.operations == 0) return text;
  const double mops = metric_value(metrics, "throughput_mops").value_or(0);
  const double mean = metric_value(metrics, "latency_ns.mean").value_or(0);
  return text + fmt::format("; {} operations under way = {} Mops x {}", shown_number(mops * mean / 1e3),
                            shown_number(mops), shown_duration(mean));
}

}  // namespace racksim::tools
