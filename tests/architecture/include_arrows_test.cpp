// The folders' dependency arrows hold in every include, and what must stay out of headers does.
#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/places.hpp"

namespace include_arrows_test {

namespace fs = std::filesystem;

namespace {

/// What each folder may include of our own code; of protocols only those may include another that kBuildsOn names.
const std::map<std::string, std::set<std::string>> kMayInclude{
    {"sim", {"sim"}},
    {"p4model", {"p4model", "sim"}},
    {"models", {"models", "p4model", "sim"}},
    {"protocols", {"protocols", "models", "p4model", "sim"}},
    {"docs", {"docs", "models", "p4model", "sim"}},
    {"tools", {"tools", "protocols", "models", "p4model", "sim"}},
    {"tests", {"tests", "tools", "protocols", "models", "p4model", "sim"}},
};

/// The rooms of each folder. A room may include those to its left, and itself. What stands in a protocol's folder beside
/// its rooms puts them together: it may include all, and no room includes it.
const std::map<std::string, std::vector<std::string>> kRooms{
    {"sim", {"kernel", "options", "simgrid", "random", "metrics", "record", "oracles", "checkers", "exploration"}},
    {"p4model", {"language", "fit", "execute", "generate", "examples"}},
    {"models",
     {"usage", "packets", "wire", "host", "nic", "switch", "rack", "membership", "faults", "service", "store",
      "workloads", "applications"}},
    {"tools", {"text",      "statistics", "json",    "files", "processes", "profile", "scenario", "lone_switch",
               "recording", "experiment", "report",  "plot",  "seeds",     "knee",    "fuzz",     "diff",
               "suite",     "figure",     "explain", "bench", "describe",  "kinds",   "commands", "trace"}},
    {"protocols/flowcc", {"rules", "events", "node", "switch", "allocation", "control", "explored"}},
    {"protocols/cckvs", {"keys", "threads", "explored"}},
    {"protocols/gam", {"rules", "log", "channels", "home", "cache", "node", "recovery"}},
};

/// More units than this in one folder are too many to find one's way.
constexpr std::size_t kMostUnits = 25;

/// Folders of protocols that are built on another: NoCache, StarCache and NetCache on the client-server application,
/// and the latter two on what caches in the switch share; SELCC and SEL on latched lines in disaggregated memory, and
/// what caches lines on their cache.
const std::set<std::pair<std::string, std::string>> kBuildsOn{{"nocache", "store"},
                                                              {"switch_cache", "store"},
                                                              {"netcache", "store"},
                                                              {"starcache", "store"},
                                                              {"netcache", "switch_cache"},
                                                              {"starcache", "switch_cache"},
                                                              {"selcc", "latched_memory"},
                                                              {"sel", "latched_memory"},
                                                              {"selcc", "line_cache"},
                                                              {"rpc_directory", "latched_memory"},
                                                              {"rpc_directory", "line_cache"},
                                                              {"gam", "latched_memory"},
                                                              {"gam", "line_cache"},
                                                              {"line_cache", "latched_memory"}};

/// The one file outside sim/ that may include SimGrid: the benchmark's reference, which has to be written in the
/// interface that it stands for, as a user of SimGrid alone would write it. Nothing is built on it.
const std::string kSimGridReference = "tools/bench/simgrid_echo.cpp";

struct Include {
  std::string path;
  bool angled;  ///< <path> and not "path"
};

std::string first_folder(const std::string& path) {
  const auto slash = path.find('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string second_folder(const std::string& path) {
  const auto slash = path.find('/');
  return slash == std::string::npos ? "" : first_folder(path.substr(slash + 1));
}

std::vector<Include> includes_of(std::istream& stream) {
  static const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  std::vector<Include> includes;
  std::string line;
  std::smatch match;
  while (std::getline(stream, line)) {
    if (std::regex_search(line, match, pattern)) includes.push_back({match[2], match[1] == "<"});
  }
  return includes;
}

/// The folder with rooms that a path lies in; empty if none.
std::string house_of(const std::string& path) {
  const auto protocol = first_folder(path) + '/' + second_folder(path);
  if (kRooms.contains(protocol)) return protocol;
  return kRooms.contains(first_folder(path)) ? first_folder(path) : "";
}

/// The room of that folder that a path lies in; empty if it stands beside the rooms.
std::string room_of(const std::string& house, const std::string& path) {
  return first_folder(path.substr(house.size() + 1));
}

/// What is wrong with an include of the file's own folder in its room; empty if nothing is.
std::string fault_of_rooms(const std::string& house, const std::string& file, const std::string& included) {
  const auto& rooms = kRooms.at(house);
  const auto from = room_of(house, file), to = room_of(house, included);
  const auto place = [&](const std::string& room) { return std::find(rooms.begin(), rooms.end(), room); };
  const bool has_front = house.starts_with("protocols/");
  if (from.empty() && has_front) return "";
  if (place(from) == rooms.end()) return fmt::format("{}/ has no room '{}'", house, from);
  if (to.empty() && has_front) return fmt::format("{}/{}/ may not include what puts the rooms together", house, from);
  if (place(to) > place(from)) return fmt::format("{}/{}/ may not include {}/{}/", house, from, house, to);
  return "";
}

/// What is wrong with one include in the file of that path (relative to the tree); empty if nothing is.
std::string fault(const std::string& file, const Include& include) {
  const auto folder = first_folder(file);
  const bool header = file.ends_with(".hpp");
  const auto target = first_folder(include.path);
  const bool simgrid = include.path.starts_with("simgrid") || include.path.starts_with("xbt/");
  const bool json = include.path.starts_with("nlohmann/");
  if (simgrid && header) return "SimGrid's headers stay out of ours";
  if (simgrid && folder != "sim" && folder != "tests" && file != kSimGridReference) return "only sim/ includes SimGrid";
  if (json && header) return "nlohmann's headers stay out of ours";
  if (kMayInclude.contains(target)) {
    if (include.angled) return "our own headers are included with quotes";
    if (!kMayInclude.at(folder).contains(target)) return fmt::format("{}/ may not include {}/", folder, target);
    if (folder == "protocols" && target == "protocols" && second_folder(include.path) != second_folder(file) &&
        !kBuildsOn.contains({second_folder(file), second_folder(include.path)})) {
      return "a protocol does not include another, unless it is built on it";
    }
    const auto house = house_of(file);
    if (!house.empty() && house == house_of(include.path)) return fault_of_rooms(house, file, include.path);
  } else if (!include.angled) {
    return "includes start at the root of the tree";
  }
  return "";
}

/// What a path belongs to: a class's header and source together.
std::string unit_of(const std::string& path) {
  return path.substr(0, path.rfind('.'));
}

/// What each includes.
using Includes = std::map<std::string, std::set<std::string>>;

/// The units that includes lead to from one, over others.
std::set<std::string> led_to(const Includes& includes, const std::string& from) {
  std::set<std::string> met;
  std::vector<std::string> open{from};
  while (!open.empty()) {
    const auto found = includes.find(open.back());
    open.pop_back();
    if (found == includes.end()) continue;
    for (const auto& next : found->second) {
      if (met.insert(next).second) open.push_back(next);
    }
  }
  return met;
}

/// The units that include each other, over others, in a circle: each circle with its units, in the order of names.
std::vector<std::vector<std::string>> circles(const Includes& includes) {
  std::map<std::string, std::set<std::string>> reach;
  for (const auto& [unit, included] : includes) reach[unit] = led_to(includes, unit);
  std::vector<std::vector<std::string>> found;
  std::set<std::string> in_one;
  for (const auto& [unit, reached] : reach) {
    if (!reached.contains(unit) || in_one.contains(unit)) continue;
    std::vector<std::string> circle;
    for (const auto& other : reached) {
      if (reach.contains(other) && reach.at(other).contains(unit)) circle.push_back(other);
    }
    in_one.insert(circle.begin(), circle.end());
    found.push_back(std::move(circle));
  }
  return found;
}

/// The sources of the tree, relative to it.
std::vector<std::string> sources() {
  const fs::path root = racksim::places::source_folder();
  std::vector<std::string> files;
  for (const auto& [folder, allowed] : kMayInclude) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const auto extension = entry.path().extension();
      if (extension == ".cpp" || extension == ".hpp") files.push_back(entry.path().lexically_relative(root).string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

Includes includes_of_units() {
  Includes includes;
  for (const auto& file : sources()) {
    std::ifstream stream(fs::path(racksim::places::source_folder()) / file);
    for (const auto& include : includes_of(stream)) {
      const auto unit = unit_of(include.path);
      if (!include.angled && unit != unit_of(file)) includes[unit_of(file)].insert(unit);
    }
  }
  return includes;
}

std::map<std::string, std::size_t> units_of_folders() {
  std::map<std::string, std::size_t> count;
  std::set<std::string> units;
  for (const auto& file : sources()) {
    const auto unit = unit_of(file);
    if (first_folder(file) != "tests" && units.insert(unit).second) ++count[unit.substr(0, unit.rfind('/'))];
  }
  return count;
}

}  // namespace

TEST_CASE("every include follows the arrows between the folders") {
  const auto files = sources();
  CHECK(files.size() > 10);
  for (const auto& file : files) {
    std::ifstream stream(fs::path(racksim::places::source_folder()) / file);
    for (const auto& include : includes_of(stream)) {
      const auto problem = fault(file, include);
      if (!problem.empty()) FAIL_CHECK(fmt::format("{} includes {}: {}", file, include.path, problem));
    }
  }
}

TEST_CASE("no more than two units include each other in a circle, a header and its source taken together") {
  const auto includes = includes_of_units();
  CHECK(includes.size() > 500);
  for (const auto& circle : circles(includes)) {
    if (circle.size() > 2) FAIL_CHECK(fmt::format("a circle of {} units: {}", circle.size(), fmt::join(circle, ", ")));
  }
}

TEST_CASE("no folder has more units than one finds one's way in") {
  for (const auto& [folder, units] : units_of_folders()) {
    if (units > kMostUnits) FAIL_CHECK(fmt::format("{} has {} units, more than {}", folder, units, kMostUnits));
  }
}

TEST_CASE("no folder is a drawer for odds and ends") {
  const std::set<std::string> drawers{"utils", "util", "common", "misc", "helpers", "helper"};
  for (const auto& [folder, allowed] : kMayInclude) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(racksim::places::source_folder()) / folder)) {
      const auto name = entry.path().stem().string();
      if (drawers.contains(name)) FAIL_CHECK(entry.path().string() << ": name it after what it holds");
    }
  }
}

TEST_CASE("every source lies in a room of its folder") {
  for (const auto& file : sources()) {
    const auto house = house_of(file);
    if (house.empty()) continue;
    const auto room = room_of(house, file);
    const auto& rooms = kRooms.at(house);
    const bool is_front = room.empty() && house.starts_with("protocols/");
    if (!is_front && std::find(rooms.begin(), rooms.end(), room) == rooms.end()) FAIL_CHECK(file);
  }
}

// Run it by name to see how the tree is built: `test_architecture "[structure]"`.
TEST_CASE("the structure of the tree in numbers", "[.][structure]") {
  const auto includes = includes_of_units();
  std::map<std::string, std::map<std::string, std::size_t>> rooms;  // units, by house and room
  std::map<std::string, std::size_t> arrows, back;
  std::set<std::string> seen;
  for (const auto& file : sources()) {
    const auto unit = unit_of(file), house = house_of(file);
    if (house.empty() || !seen.insert(unit).second) continue;
    ++rooms[house][room_of(house, file)];
    const auto found = includes.find(unit);
    if (found == includes.end()) continue;
    for (const auto& other : found->second) {
      if (house_of(other) != house || room_of(house, other) == room_of(house, file)) continue;
      ++arrows[house];
      if (!fault_of_rooms(house, file, other).empty()) ++back[house];
    }
  }
  fmt::print("{:<18}{:>6}{:>7}{:>8}{:>6}{:>14}\n", "folder", "units", "rooms", "arrows", "back", "largest room");
  for (const auto& [house, counts] : rooms) {
    std::size_t units = 0, largest = 0;
    for (const auto& [room, count] : counts) {
      units += count;
      largest = std::max(largest, count);
    }
    fmt::print("{:<18}{:>6}{:>7}{:>8}{:>6}{:>14}\n", house, units, counts.size(), arrows[house], back[house], largest);
  }
  for (const auto& circle : circles(includes)) {
    fmt::print("circle of {}: {}\n", circle.size(), fmt::join(circle, ", "));
  }
  std::map<std::string, std::size_t> lines;
  std::size_t guards = 0, actions = 0, table_rows = 0, snapshots = 0;
  for (const auto& file : sources()) {
    std::ifstream stream(fs::path(racksim::places::source_folder()) / file);
    std::string line;
    for (bool in_rows = false; std::getline(stream, line);) {
      ++lines[first_folder(file) == "tests" ? "tests" : "program"];
      if (first_folder(file) != "protocols") continue;
      guards += line.starts_with("constexpr Guard ");
      actions += line.starts_with("constexpr Action ");
      if (file.ends_with("_table.cpp"))
        in_rows = (in_rows || line.ends_with("clang-format off")) && !line.ends_with("clang-format on");
      table_rows += in_rows && line.find("{\"") < 8;
      snapshots +=
          line.find("start_measuring") != std::string::npos || line.find("struct Baseline") != std::string::npos;
    }
  }
  fmt::print("tables of protocols: {} guards and {} actions, {} rows, each on one line\n", guards, actions, table_rows);
  fmt::print("snapshots of counters that a protocol takes itself: {}\n", snapshots);
  fmt::print("lines: {} of the program, {} of tests\n", lines["program"], lines["tests"]);
}

TEST_CASE("the check itself finds circles") {
  const Includes includes{{"a", {"b", "d"}}, {"b", {"c"}}, {"c", {"a"}}, {"d", {"e"}}, {"e", {"d"}}, {"f", {"a"}}};
  CHECK(circles(includes) == std::vector<std::vector<std::string>>{{"a", "b", "c"}, {"d", "e"}});
}

TEST_CASE("the check itself finds wrong includes") {
  const auto allowed = [](const char* file, const char* path, bool angled = false) {
    return fault(file, {path, angled}).empty();
  };
  CHECK(allowed("models/wire/link.cpp", "sim/kernel/time.hpp"));
  CHECK(allowed("models/wire/link.cpp", "vector", true));
  CHECK(allowed("sim/simgrid/bridge.cpp", "simgrid/s4u.hpp", true));
  CHECK(allowed("tools/bench/simgrid_echo.cpp", "simgrid/s4u.hpp", true));
  CHECK(allowed("tools/json/json_reader.cpp", "nlohmann/json.hpp", true));
  CHECK(allowed("protocols/gam/agent.cpp", "protocols/gam/messages.hpp"));
  CHECK(allowed("protocols/starcache/star_server.hpp", "protocols/switch_cache/write_order.hpp"));
  CHECK_FALSE(allowed("sim/kernel/calendar.cpp", "models/wire/link.hpp"));
  CHECK_FALSE(allowed("p4model/language/packet.hpp", "models/wire/link.hpp"));
  CHECK_FALSE(allowed("models/wire/link.cpp", "protocols/gam/agent.hpp"));
  CHECK_FALSE(allowed("protocols/gam/agent.cpp", "tools/report/report.hpp"));
  CHECK_FALSE(allowed("protocols/gam/agent.cpp", "protocols/selcc/agent.hpp"));
  CHECK_FALSE(allowed("protocols/switch_cache/write_order.hpp", "protocols/starcache/options.hpp"));
  CHECK_FALSE(allowed("protocols/store/partition.cpp", "protocols/switch_cache/write_order.hpp"));
  CHECK_FALSE(allowed("protocols/netcache/net_server.cpp", "protocols/starcache/options.hpp"));
  CHECK_FALSE(allowed("protocols/starcache/star_server.cpp", "protocols/nocache/nocache.hpp"));
  CHECK(allowed("protocols/flowcc/flowcc.cpp", "protocols/flowcc/node/requester.hpp"));
  CHECK(allowed("protocols/flowcc/node/requester.cpp", "protocols/flowcc/rules/block.hpp"));
  CHECK_FALSE(allowed("protocols/flowcc/rules/block.cpp", "protocols/flowcc/node/requester.hpp"));
  CHECK_FALSE(allowed("protocols/flowcc/node/requester.cpp", "protocols/flowcc/flowcc.hpp"));
  CHECK_FALSE(allowed("protocols/flowcc/odds/requester.cpp", "protocols/flowcc/rules/block.hpp"));
  CHECK(allowed("models/rack/rack.cpp", "models/wire/link.hpp"));
  CHECK(allowed("models/wire/link.cpp", "models/wire/link.hpp"));
  CHECK_FALSE(allowed("models/wire/link.cpp", "models/rack/rack.hpp"));
  CHECK_FALSE(allowed("models/link.cpp", "models/wire/link.hpp"));
  CHECK_FALSE(allowed("tools/json/json_reader.cpp", "tools/commands/command_line.hpp"));
  CHECK_FALSE(allowed("models/wire/link.cpp", "sim/kernel/time.hpp", true));
  CHECK_FALSE(allowed("models/wire/link.cpp", "link.hpp"));
  CHECK_FALSE(allowed("sim/simgrid/bridge.hpp", "simgrid/s4u.hpp", true));
  CHECK_FALSE(allowed("tools/report/report.cpp", "simgrid/s4u.hpp", true));
  CHECK_FALSE(allowed("tools/bench/rpc_echo.cpp", "simgrid/s4u.hpp", true));
  CHECK_FALSE(allowed("tools/report/report.hpp", "nlohmann/json.hpp", true));
}

}  // namespace include_arrows_test
