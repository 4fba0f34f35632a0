// Reading of availability profiles. See availability.hpp.
#include "models/faults/availability.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <optional>

#include "sim/options/option_error.hpp"

namespace racksim::models {

namespace {

constexpr std::size_t kMostOutages = 10'000;

[[noreturn]] void refuse(std::string_view line, const char* expected) {
  throw sim::OptionError("profile", fmt::format("\"{}\"", line), expected);
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Cuts off what stands before one of the separators.
std::string_view next_part(std::string_view& text, std::string_view separators) {
  const auto end = text.find_first_of(separators);
  const std::string_view part = trimmed(text.substr(0, end));
  text = end == std::string_view::npos ? std::string_view{} : trimmed(text.substr(end + 1));
  return part;
}

/// Seconds to the nearest picosecond, up to the longest run.
std::optional<sim::Duration> seconds(std::string_view word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !(value >= 0 && value <= 1000)) return std::nullopt;
  return sim::Duration::from_ps(std::llround(value * 1e12));
}

struct Change {
  sim::Duration at;
  bool on;
};

struct Profile {
  std::vector<Change> changes;
  std::optional<sim::Duration> loop_after;
};

Profile parse(std::string_view text) {
  Profile profile;
  while (!text.empty()) {
    const std::string_view line = next_part(text, ";\n");
    if (line.empty() || line.front() == '#') continue;
    if (profile.loop_after) refuse(line, "nothing after LOOPAFTER");
    std::string_view rest = line;
    const std::string_view first = next_part(rest, " \t");
    if (first == "LOOPAFTER") {
      profile.loop_after = seconds(rest);
      if (!profile.loop_after || *profile.loop_after == sim::Duration{}) refuse(line, "LOOPAFTER and seconds above 0");
      continue;
    }
    const auto at = seconds(first);
    if (!at || (rest != "0" && rest != "1")) refuse(line, "a time in seconds up to 1000, and 1 for on or 0 for off");
    if (!profile.changes.empty() && *at <= profile.changes.back().at) refuse(line, "a later time than the line before");
    profile.changes.push_back({*at, rest == "1"});
  }
  if (profile.changes.empty()) refuse("", "at least one change, such as \"0.0001 0; 0.0002 1\"");
  return profile;
}

/// In seconds, exactly.
std::string written(sim::Duration time) {
  constexpr std::int64_t kSecond = 1'000'000'000'000;
  std::string text = fmt::format("{}.{:012}", time.ps() / kSecond, time.ps() % kSecond);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

std::string canonical_profile(std::string_view text) {
  const Profile profile = parse(text);
  std::string result;
  for (const auto& [at, on] : profile.changes) {
    result += fmt::format("{}{} {}", result.empty() ? "" : "; ", written(at), on ? 1 : 0);
  }
  if (profile.loop_after) result += fmt::format("; LOOPAFTER {}", written(*profile.loop_after));
  return result;
}

std::vector<Outage> read_profile(std::string_view text, sim::Duration length) {
  const Profile profile = parse(text);
  std::vector<Outage> outages;
  bool on = true;
  sim::Duration round{};
  do {
    for (const Change& change : profile.changes) {
      const sim::Duration at = round + change.at;
      if (change.on == on) continue;
      if (change.on) {
        outages.back().until = at;
      } else if (at < length) {
        if (outages.size() == kMostOutages) {
          throw sim::OptionError("profile", fmt::format("more than {} outages", kMostOutages),
                                 "fewer, or a shorter run");
        }
        outages.push_back({.from = at, .until = sim::Duration::max()});
      } else {
        return outages;
      }
      on = change.on;
    }
    round += profile.changes.back().at + profile.loop_after.value_or(sim::Duration{});
  } while (profile.loop_after && round < length);
  return outages;
}

}  // namespace racksim::models
