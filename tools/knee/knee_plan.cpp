// Reading and checking plans. See knee_plan.hpp.
#include "tools/knee/knee_plan.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tools/experiment/experiment.hpp"
#include "tools/scenario/binding.hpp"
#include "tools/scenario/overrides.hpp"

namespace racksim::tools {
namespace {

KneeCriterion read_criterion(const JsonValue& value, const JsonLocation& place) {
  KneeCriterion criterion;
  sim::Parameters members;
  members.text("name", criterion.name, "");
  members.text("calibrated", criterion.calibrated, "");
  members.text("doc", criterion.doc, "");
  bind(value, place, members, {{"loss"}, nullptr});
  const auto* loss = value.find("loss");
  if (!loss || !loss->number()) {
    place.member("loss").refuse(loss ? loss->description() : "nothing", "the share that may be lost");
  }
  criterion.loss = *loss->number();
  return criterion;
}

}  // namespace

std::vector<std::string> KneePlan::overrides_at(std::uint64_t load_value) const {
  return {fmt::format("{}={}", load, load_value), "run.expect_timeouts=true"};
}

std::vector<std::string> KneePlan::probe_overrides_at(std::uint64_t load_value) const {
  std::vector<std::string> overrides = probe;
  for (std::string& text : overrides_at(load_value)) overrides.push_back(std::move(text));
  return overrides;
}

KneePlan read_knee_plan(const JsonValue& value, const JsonLocation& place) {
  KneePlan plan;
  sim::Parameters members;
  members.text("load", plan.load, "");
  members.integer("from", plan.bounds.from, 0, 1'000'000'000'000, "");
  members.integer("to", plan.bounds.to, 0, 1'000'000'000'000, "");
  members.real("tolerance", plan.bounds.tolerance, -1, 1e6, "");
  bind(value, place, members, {{"probe", "criteria"}, nullptr});
  if (const auto* probe = value.find("probe")) {
    for (const auto& [path, changed] : require_object(*probe, place.member("probe"))) {
      plan.probe.push_back(path + "=" + override_text(changed));
    }
  }
  const auto* criteria = value.find("criteria");
  const JsonLocation at = place.member("criteria");
  if (!criteria || !criteria->elements() || criteria->elements()->empty()) {
    at.refuse(criteria ? criteria->description() : "nothing", "an array of objects with \"name\" and \"loss\"");
  }
  for (std::size_t i = 0; i < criteria->elements()->size(); ++i) {
    KneeCriterion criterion = read_criterion((*criteria->elements())[i], at.element(i));
    const auto same = [&](const KneeCriterion& other) { return other.name == criterion.name; };
    if (criterion.name.empty() || std::any_of(plan.criteria.begin(), plan.criteria.end(), same)) {
      at.element(i).member("name").refuse(quote(criterion.name), "a name for each criterion");
    }
    plan.criteria.push_back(std::move(criterion));
  }
  check_knee_plan(plan, [&](const char* named) { return place.member(named); });
  return plan;
}

void check_knee_plan(const KneePlan& plan, const std::function<JsonLocation(const char* named)>& places) {
  if (plan.bounds.from == 0) places("from").refuse("0", "a load above 0 to begin with");
  if (plan.bounds.to <= plan.bounds.from) {
    places("to").refuse(fmt::format("{}", plan.bounds.to),
                        fmt::format("a load above the {} of \"from\"", plan.bounds.from));
  }
  if (!(plan.bounds.tolerance > 0 && plan.bounds.tolerance < 1)) {
    places("tolerance").refuse(fmt::format("{}", plan.bounds.tolerance), "a share above 0 and below 1");
  }
  for (const KneeCriterion& criterion : plan.criteria) {
    if (criterion.loss >= 0 && criterion.loss < 1) continue;
    places("criteria").refuse(fmt::format("a loss of {}", criterion.loss), "a share from 0 to below 1");
  }
}

void check_knee_of(const Scenario& scenario, const KneePlan& plan, const JsonLocation& place) {
  const JsonValue config = configuration(scenario);
  const JsonValue* load = value_at_path(config, plan.load);
  if (!load || !load->number()) {
    place.refuse(load ? load->description() : "a scenario without " + quote(plan.load),
                 "the path of a number that says how much is asked for: what a knee raises");
  }
  const JsonValue* loop = value_at_path(config, "workload.loop");
  if (loop && loop->string() && *loop->string() != "open") {
    place.refuse("clients in a " + *loop->string() + " loop", "an open loop: others ask for no more than is answered");
  }
  const auto names = metric_names(scenario);
  if (!std::binary_search(names.begin(), names.end(), kLossMetric)) {
    place.refuse("a run that does not tell " + quote(kLossMetric),
                 "a store, which tells what share of requests is lost");
  }
}

}  // namespace racksim::tools
