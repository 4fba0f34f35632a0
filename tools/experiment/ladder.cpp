// Building, reading and comparing ladders.
#include "tools/experiment/ladder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "tools/scenario/binding.hpp"

namespace racksim::tools {
namespace {

JsonValue checkpoint_json(const Checkpoint& checkpoint) {
  auto value = JsonValue::object();
  value.set("time_ns", checkpoint.at.ns());
  value.set("run_hash", checkpoint.hash.hex());
  auto& places = value.set("places", JsonValue::array());
  for (const auto hash : checkpoint.places) places.push(fmt::format("{:016x}", hash));
  return value;
}

const JsonValue& member(const JsonValue& object, const Place& place, const char* key) {
  require_object(object, place);
  const auto* value = object.find(key);
  if (!value) place.refuse("no " + quote(key), "a ladder of checkpoints as racksim run writes it");
  return *value;
}

const JsonValue::Array& elements(const JsonValue& object, const Place& place, const char* key) {
  const auto& value = member(object, place, key);
  if (!value.elements()) place.member(key).refuse(value.description(), "an array");
  return *value.elements();
}

/// Sixteen hexadecimal digits from `text` at `at`.
std::uint64_t read_hex(const std::string& text, std::size_t at, const Place& place) {
  std::uint64_t value = 0;
  const auto* begin = text.data() + at;
  const auto [stop, error] = std::from_chars(begin, begin + 16, value, 16);
  if (error != std::errc{} || stop != begin + 16) place.refuse(quote(text), "hexadecimal digits");
  return value;
}

Checkpoint read_checkpoint(const JsonValue& value, const Place& place, std::size_t places) {
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
PlaceHashes by_name(const Ladder& ladder, const Checkpoint& checkpoint) {
  PlaceHashes hashes;
  for (std::size_t i = 0; i < checkpoint.places.size(); ++i) {
    if (checkpoint.places[i] != 0) hashes[ladder.places[i]] = checkpoint.places[i];
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

void LadderBuilder::add(sim::Time now) {
  auto& rungs = ladder_.rungs;
  rungs.push_back(checkpoint(now));
  if (rungs.size() < kMostRungs) return;
  for (std::size_t i = 1; i < rungs.size(); i += 2) rungs[i / 2] = std::move(rungs[i]);
  rungs.resize(kMostRungs / 2);
  interval_ = interval_ * 2;
}

Ladder LadderBuilder::finish(sim::Time now) {
  ladder_.end = checkpoint(now);
  return std::move(ladder_);
}

Checkpoint LadderBuilder::checkpoint(sim::Time now) {
  if (place_of_.empty()) assign_places();
  Checkpoint result{now, journal_.hash(), std::vector<std::uint64_t>(ladder_.places.size())};
  for (std::size_t source = 0; source < place_of_.size(); ++source) {
    result.places[place_of_[source]] += journal_.hash(sim::Source{static_cast<std::uint32_t>(source)}).low;
  }
  return result;
}

void LadderBuilder::assign_places() {
  for (std::size_t source = 0; source < journal_.sources(); ++source) {
    const std::string& full = journal_.name(sim::Source{static_cast<std::uint32_t>(source)});
    const std::string name = full.substr(0, full.find('/'));
    const auto known = std::find(ladder_.places.begin(), ladder_.places.end(), name);
    place_of_.push_back(static_cast<std::size_t>(known - ladder_.places.begin()));
    if (known == ladder_.places.end()) ladder_.places.push_back(name);
  }
}

JsonValue ladder_json(const Ladder& ladder) {
  auto value = JsonValue::object();
  auto& places = value.set("places", JsonValue::array());
  for (const auto& place : ladder.places) places.push(place);
  auto& rungs = value.set("checkpoints", JsonValue::array());
  for (const auto& rung : ladder.rungs) rungs.push(checkpoint_json(rung));
  value.set("end", checkpoint_json(ladder.end));
  return value;
}

Ladder read_ladder(const JsonValue& value, const Place& place) {
  Ladder ladder;
  for (const auto& name : elements(value, place, "places")) {
    const auto here = place.member("places").element(ladder.places.size());
    ladder.places.push_back(require_string(name, here, "the name of a place"));
  }
  for (const auto& rung : elements(value, place, "checkpoints")) {
    const auto here = place.member("checkpoints").element(ladder.rungs.size());
    ladder.rungs.push_back(read_checkpoint(rung, here, ladder.places.size()));
    const auto count = ladder.rungs.size();
    if (count > 1 && ladder.rungs[count - 1].at <= ladder.rungs[count - 2].at) {
      here.member("time_ns").refuse("a time not after the one before", "rising times");
    }
  }
  ladder.end = read_checkpoint(member(value, place, "end"), place.member("end"), ladder.places.size());
  return ladder;
}

std::optional<Parting> where_parted(const Ladder& a, const Ladder& b) {
  Parting parting;
  // The runs' intervals may have doubled at different times: only rungs of the same instant can be compared.
  for (auto in_a = a.rungs.begin(), in_b = b.rungs.begin(); in_a != a.rungs.end() && in_b != b.rungs.end();) {
    if (in_a->at != in_b->at) {
      ++(in_a->at < in_b->at ? in_a : in_b);
      continue;
    }
    parting.places = differing(by_name(a, *in_a), by_name(b, *in_b));
    if (!parting.places.empty()) {
      parting.by = in_a->at;
      return parting;
    }
    parting.after = in_a->at;
    ++in_a, ++in_b;
  }
  parting.places = differing(by_name(a, a.end), by_name(b, b.end));
  if (parting.places.empty()) return std::nullopt;
  return parting;
}

}  // namespace racksim::tools
