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
    {"tools", {"tools", "protocols", "models", "p4model", "sim"}},
    {"tests", {"tests", "tools", "protocols", "models", "p4model", "sim"}},
};

/// The rooms of each folder. A room may include those to its left, and itself.
const std::map<std::string, std::vector<std::string>> kRooms{
    {"sim", {"kernel", "options", "simgrid", "random", "metrics", "record", "oracles", "checkers", "exploration"}},
    {"p4model", {"language", "fit", "execute", "examples"}},
    {"models", {"packets", "wire", "host", "nic", "switch", "rack", "membership", "faults", "service", "workloads"}},
    {"tools",
     {"text", "json", "files", "processes", "scenario", "lone_switch", "experiment", "knee", "fuzz", "diff", "suite",
      "figure", "explain", "bench", "commands"}},
};

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

/// What is wrong with an include of the file's own folder in its room; empty if nothing is.
std::string fault_of_rooms(const std::string& folder, const std::string& from, const std::string& to) {
  const auto rooms = kRooms.find(folder);
  if (rooms == kRooms.end()) return "";
  const auto place = [&](const std::string& room) {
    return std::find(rooms->second.begin(), rooms->second.end(), room) - rooms->second.begin();
  };
  const auto end = static_cast<std::ptrdiff_t>(rooms->second.size());
  if (place(from) == end) return fmt::format("{}/ has no room '{}'", folder, from);
  if (place(to) > place(from)) return fmt::format("{}/{}/ may not include {}/{}/", folder, from, folder, to);
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
    if (target == folder) return fault_of_rooms(folder, second_folder(file), second_folder(include.path));
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

/// Whether includes lead from one to another, and by which way, from its end. `met` are those that do not.
bool leads_to(const Includes& includes, const std::string& from, const std::string& to, std::set<std::string>& met,
              std::vector<std::string>& way) {
  const auto found = includes.find(from);
  if (found == includes.end()) return false;
  for (const auto& next : found->second) {
    if (next != to && (!met.insert(next).second || !leads_to(includes, next, to, met, way))) continue;
    way.push_back(next);
    return true;
  }
  return false;
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

TEST_CASE("no classes of the hardware include each other in a circle, header and source taken together") {
  Includes includes;
  for (const auto& file : sources()) {
    if (first_folder(file) != "models") continue;
    std::ifstream stream(fs::path(racksim::places::source_folder()) / file);
    for (const auto& include : includes_of(stream)) {
      const auto unit = unit_of(include.path);
      if (first_folder(unit) == "models" && unit != unit_of(file)) includes[unit_of(file)].insert(unit);
    }
  }
  CHECK(includes.size() > 50);
  for (const auto& [unit, included] : includes) {
    std::set<std::string> met;
    std::vector<std::string> way;
    if (leads_to(includes, unit, unit, met, way)) FAIL_CHECK(fmt::format("{} <- {}", fmt::join(way, " <- "), unit));
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
    const auto rooms = kRooms.find(first_folder(file));
    if (rooms == kRooms.end()) continue;
    const auto& names = rooms->second;
    if (std::find(names.begin(), names.end(), second_folder(file)) == names.end()) FAIL_CHECK(file);
  }
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
  CHECK_FALSE(allowed("protocols/gam/agent.cpp", "tools/experiment/report.hpp"));
  CHECK_FALSE(allowed("protocols/gam/agent.cpp", "protocols/selcc/agent.hpp"));
  CHECK_FALSE(allowed("protocols/switch_cache/write_order.hpp", "protocols/starcache/options.hpp"));
  CHECK_FALSE(allowed("protocols/store/partition.cpp", "protocols/switch_cache/write_order.hpp"));
  CHECK_FALSE(allowed("protocols/netcache/net_server.cpp", "protocols/starcache/options.hpp"));
  CHECK_FALSE(allowed("protocols/starcache/star_server.cpp", "protocols/nocache/nocache.hpp"));
  CHECK(allowed("models/rack/rack.cpp", "models/wire/link.hpp"));
  CHECK(allowed("models/wire/link.cpp", "models/wire/link.hpp"));
  CHECK_FALSE(allowed("models/wire/link.cpp", "models/rack/rack.hpp"));
  CHECK_FALSE(allowed("models/link.cpp", "models/wire/link.hpp"));
  CHECK_FALSE(allowed("tools/json/json_reader.cpp", "tools/commands/command_line.hpp"));
  CHECK_FALSE(allowed("models/wire/link.cpp", "sim/kernel/time.hpp", true));
  CHECK_FALSE(allowed("models/wire/link.cpp", "link.hpp"));
  CHECK_FALSE(allowed("sim/simgrid/bridge.hpp", "simgrid/s4u.hpp", true));
  CHECK_FALSE(allowed("tools/experiment/report.cpp", "simgrid/s4u.hpp", true));
  CHECK_FALSE(allowed("tools/bench/rpc_echo.cpp", "simgrid/s4u.hpp", true));
  CHECK_FALSE(allowed("tools/experiment/report.hpp", "nlohmann/json.hpp", true));
}

}  // namespace include_arrows_test
