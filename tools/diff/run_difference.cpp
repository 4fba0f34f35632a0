// Flattening and comparing. See run_difference.hpp.
#include "tools/diff/run_difference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tools/experiment/metric_change.hpp"

namespace racksim::tools {
namespace {

using Flat = std::vector<std::pair<std::string, JsonValue>>;

/// The scalars of a document under dotted names; an empty object or array counts as one.
void flatten(const JsonValue& value, const std::string& name, Flat& flat) {
  const std::string prefix = name.empty() ? "" : name + ".";
  if (const auto* members = value.members(); members && !members->empty()) {
    for (const auto& [key, content] : *members) flatten(content, prefix + key, flat);
  } else if (const auto* elements = value.elements(); elements && !elements->empty()) {
    for (std::size_t i = 0; i < elements->size(); ++i) flatten((*elements)[i], prefix + std::to_string(i), flat);
  } else {
    flat.emplace_back(name, value);
  }
}

/// Each name with both sides' values, in the order of A, then what only B has.
struct Pair {
  std::string name;
  const JsonValue* a = nullptr;
  const JsonValue* b = nullptr;
};
std::vector<Pair> pair_up(const Flat& a, const Flat& b) {
  std::vector<const Flat::value_type*> sorted;
  for (const auto& item : b) sorted.push_back(&item);
  std::sort(sorted.begin(), sorted.end(), [](auto* x, auto* y) { return x->first < y->first; });
  const auto find = [&](const std::string& name) {
    return std::lower_bound(sorted.begin(), sorted.end(), name, [](auto* x, const auto& n) { return x->first < n; });
  };
  std::vector<Pair> pairs;
  std::vector<bool> taken(sorted.size());
  for (const auto& [name, value] : a) {
    const auto found = find(name);
    const bool both = found != sorted.end() && (*found)->first == name;
    pairs.push_back({name, &value, both ? &(*found)->second : nullptr});
    if (both) taken[static_cast<std::size_t>(found - sorted.begin())] = true;
  }
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (!taken[i]) pairs.push_back({sorted[i]->first, nullptr, &sorted[i]->second});
  }
  return pairs;
}

std::string scalar_text(const JsonValue& value) {
  return value.string() ? *value.string() : to_canonical_json(value);
}

bool only_names_or_judges(const std::string& key) {
  return key == "name" || key == "check" || key == "observe" || key == "expect" || key == "fuzz" || key == "$schema";
}

Flat flat_configuration(const JsonValue& configuration) {
  Flat flat;
  if (const auto* members = configuration.members()) {
    for (const auto& [key, value] : *members) {
      if (!only_names_or_judges(key)) flatten(value, key, flat);
    }
  }
  return flat;
}

Flat flat_metrics(const JsonValue& metrics) {
  Flat flat;
  flatten(metrics, "", flat);
  return flat;
}

std::vector<ParameterDifference> differences_of(const Flat& a, const Flat& b) {
  std::vector<ParameterDifference> differences;
  for (const auto& pair : pair_up(a, b)) {
    if (pair.a && pair.b && *pair.a == *pair.b) continue;
    const auto text = [](const JsonValue* value) { return value ? std::optional(scalar_text(*value)) : std::nullopt; };
    differences.push_back({pair.name, text(pair.a), text(pair.b)});
  }
  return differences;
}

double magnitude(const MetricDifference& difference) {
  if (!difference.a || !difference.b) return std::numeric_limits<double>::infinity();
  return std::abs(change_per_cent(*difference.a, *difference.b));
}

}  // namespace

std::vector<ParameterDifference> value_differences(const JsonValue& a, const JsonValue& b) {
  Flat flat_a, flat_b;
  flatten(a, "", flat_a);
  flatten(b, "", flat_b);
  return differences_of(flat_a, flat_b);
}

std::vector<ParameterDifference> parameter_differences(const JsonValue& a, const JsonValue& b) {
  return differences_of(flat_configuration(a), flat_configuration(b));
}

std::vector<MetricDifference> metric_differences(const JsonValue& a, const JsonValue& b) {
  std::vector<MetricDifference> differences;
  const Flat flat_a = flat_metrics(a), flat_b = flat_metrics(b);
  for (const auto& pair : pair_up(flat_a, flat_b)) {
    const auto number = [](const JsonValue* value) { return value ? value->number() : std::nullopt; };
    MetricDifference difference{pair.name, number(pair.a), number(pair.b)};
    if (difference.a || difference.b) differences.push_back(std::move(difference));
  }
  std::sort(differences.begin(), differences.end(), [](const auto& x, const auto& y) {
    const double of_x = magnitude(x), of_y = magnitude(y);
    return of_x != of_y ? of_x > of_y : x.metric < y.metric;
  });
  return differences;
}

}  // namespace racksim::tools
