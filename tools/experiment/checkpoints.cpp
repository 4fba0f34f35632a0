// Building, reading and comparing checkpoints.
#include "tools/experiment/checkpoints.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "tools/scenario/binding.hpp"

namespace racksim::tools {
namespace {

JsonValue checkpoint_json(const Checkpoint& checkpoint) {
  auto value = JsonValue::object({{"time_ns", checkpoint.at.ns()}, {"run_hash", checkpoint.hash.hex()}});
  value.set("places", array_of(checkpoint.places, [&](const auto hash) { return fmt::format("{:016x}", hash); }));
  return value;
}

const JsonValue& member(const JsonValue& object, const JsonLocation& place, const char* key) {
  require_object(object, place);
  const auto* value = object.find(key);
  if (!value) place.refuse("no " + quote(key), "checkpoints as racksim run writes it");
  return *value;
}

const JsonValue::Array& elements(const JsonValue& object, const JsonLocation& place, const char* key) {
  const auto& value = member(object, place, key);
  if (!value.elements()) place.member(key).refuse(value.description(), "an array");
  return *value.elements();
}

/// Sixteen hexadecimal digits from `text` at `at`.
std::uint64_t read_hex(const std::string& text, std::size_t at, const JsonLocation& place) {
  std::uint64_t value = 0;
  const auto* begin = text.data() + at;
  const auto [stop, error] = std::from_chars(begin, begin + 16, value, 16);
  if (error != std::errc{} || stop != begin + 16) place.refuse(quote(text), "hexadecimal digits");
  return value;
}

Checkpoint read_checkpoint(const JsonValue& value, const JsonLocation& place, std::size_t places) {
  Checkpoint result;
  const auto& time = member(value, place, "time_ns");
  const auto ns = time.number();
  if (!ns || !(*ns >= 0 && *ns <= 1e12)) place.member("time_ns").refuse(time.description(), "a time in nanoseconds");
  result.at = sim::Time::from_ps(std::llround(*ns * 1e3));
  const auto at_hash = place.member("run_hash");
  const auto& hash = require_string(member(value, place, "run_hash"), at_hash, "32 hexadecimal digits");
  if (hash.size() != 32) at_hash.refuse(quote(hash), "32 hexadecimal digits");
  result.hash = {read_hex(hash, 0, at_hash), read_hex(hash, 16, at_hash)};
  for (const auto& element : elements(value, place, "places")) {
    const auto at_place = place.member("places").element(result.places.size());
    const auto& text = require_string(element, at_place, "16 hexadecimal digits");
    if (text.size() != 16) at_place.refuse(quote(text), "16 hexadecimal digits");
    result.places.push_back(read_hex(text, 0, at_place));
  }
  if (result.places.size() != places) {
    place.member("places").refuse(fmt::format("{} elements", result.places.size()), fmt::format("{} elements", places));
  }
  return result;
}

using PlaceHashes = std::map<std::string, std::uint64_t>;

/// Without places that have recorded nothing, so that a place that only one run knows differs once it speaks.
PlaceHashes by_name(const Checkpoints& checkpoints, const Checkpoint& checkpoint) {
  PlaceHashes hashes;
  for (std::size_t i = 0; i < checkpoint.places.size(); ++i) {
    if (checkpoint.places[i] != 0) hashes[checkpoints.places[i]] = checkpoint.places[i];
  }
  return hashes;
}

std::vector<std::string> differing(const PlaceHashes& a, const PlaceHashes& b) {
  std::vector<std::string> names;
  for (const auto& [name, hash] : a) {
    const auto other = b.find(name);
    if (other == b.end() || other->second != hash) names.push_back(name);
  }
  for (const auto& [name, hash] : b) {
    if (!a.contains(name)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

void CheckpointBuilder::add(sim::Time now) {
  auto& regular = checkpoints_.regular;
  regular.push_back(checkpoint(now));
  if (regular.size() < kMost) return;
  for (std::size_t i = 1; i < regular.size(); i += 2) regular[i / 2] = std::move(regular[i]);
  regular.resize(kMost / 2);
  interval_ = interval_ * 2;
}

Checkpoints CheckpointBuilder::finish(sim::Time now) {
  checkpoints_.end = checkpoint(now);
  return std::move(checkpoints_);
}

Checkpoint CheckpointBuilder::checkpoint(sim::Time now) {
  if (place_of_.empty()) {
    assign_places(event_log_, place_of_);
    if (above_ != nullptr) assign_places(*above_, place_of_above_);
  }
  Checkpoint result{now, event_log_.hash(), std::vector<std::uint64_t>(checkpoints_.places.size())};
  add_places(event_log_, place_of_, result);
  if (above_ != nullptr) {
    result.hash += above_->hash();
    add_places(*above_, place_of_above_, result);
  }
  return result;
}

void CheckpointBuilder::add_places(const sim::EventLog& event_log, const std::vector<std::size_t>& place_of,
                                   Checkpoint& to) const {
  for (std::size_t source = 0; source < place_of.size(); ++source) {
    to.places[place_of[source]] += event_log.hash(sim::Source{static_cast<std::uint32_t>(source)}).low;
  }
}

void CheckpointBuilder::assign_places(const sim::EventLog& event_log, std::vector<std::size_t>& place_of) {
  for (std::size_t source = 0; source < event_log.sources(); ++source) {
    const std::string& full = event_log.name(sim::Source{static_cast<std::uint32_t>(source)});
    const std::string name = full.substr(0, full.find('/'));
    const auto known = std::find(checkpoints_.places.begin(), checkpoints_.places.end(), name);
    place_of.push_back(static_cast<std::size_t>(known - checkpoints_.places.begin()));
    if (known == checkpoints_.places.end()) checkpoints_.places.push_back(name);
  }
}

JsonValue checkpoints_json(const Checkpoints& checkpoints) {
  auto value = JsonValue::object();
  value.set("places", array_of(checkpoints.places));
  value.set("checkpoints", array_of(checkpoints.regular, checkpoint_json));
  value.set("end", checkpoint_json(checkpoints.end));
  return value;
}

Checkpoints read_checkpoints(const JsonValue& value, const JsonLocation& place) {
  Checkpoints checkpoints;
  for (const auto& name : elements(value, place, "places")) {
    const auto here = place.member("places").element(checkpoints.places.size());
    checkpoints.places.push_back(require_string(name, here, "the name of a place"));
  }
  for (const auto& checkpoint : elements(value, place, "checkpoints")) {
    const auto here = place.member("checkpoints").element(checkpoints.regular.size());
    checkpoints.regular.push_back(read_checkpoint(checkpoint, here, checkpoints.places.size()));
    const auto count = checkpoints.regular.size();
    if (count > 1 && checkpoints.regular[count - 1].at <= checkpoints.regular[count - 2].at) {
      here.member("time_ns").refuse("a time not after the one before", "rising times");
    }
  }
  checkpoints.end = read_checkpoint(member(value, place, "end"), place.member("end"), checkpoints.places.size());
  return checkpoints;
}

std::optional<Divergence> first_divergence(const Checkpoints& a, const Checkpoints& b) {
  Divergence divergence;
  // The runs' intervals may have doubled at different times: only checkpoints of the same instant can be compared.
  for (auto in_a = a.regular.begin(), in_b = b.regular.begin(); in_a != a.regular.end() && in_b != b.regular.end();) {
    if (in_a->at != in_b->at) {
      ++(in_a->at < in_b->at ? in_a : in_b);
      continue;
    }
    divergence.places = differing(by_name(a, *in_a), by_name(b, *in_b));
    if (!divergence.places.empty()) {
      divergence.by = in_a->at;
      return divergence;
    }
    divergence.after = in_a->at;
    ++in_a, ++in_b;
  }
  divergence.places = differing(by_name(a, a.end), by_name(b, b.end));
  if (divergence.places.empty()) return std::nullopt;
  return divergence;
}

}  // namespace racksim::tools
