// The parts that testbeds are put together from: each is of use, says only what holds, and does not contend with
// another; and none passes for a testbed.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "tests/tools/temporary_folder.hpp"
#include "tools/commands/command_line.hpp"
#include "tools/files/data_files.hpp"
#include "tools/scenario/composition.hpp"
#include "tools/scenario/scenario.hpp"

namespace testbed_parts_test {

using namespace racksim::tools;
using racksim::tools::testing::TemporaryFolder;

namespace {

using Constants = std::map<std::string, std::string>;  // by dotted name, with their sources

std::string shipped(const std::string& name) {
  return (scenarios_folder() / "testbeds" / (name + ".json")).string();
}

/// The names below scenarios/testbeds: "gam-8" or "parts/nic".
std::vector<std::string> names(bool parts) {
  auto all = json_names_below(scenarios_folder() / "testbeds");
  std::erase_if(all, [&](const std::string& name) { return name.starts_with("parts/") != parts; });
  return all;
}

/// What a file names as its bases.
std::vector<std::string> bases_of(const std::string& name) {
  const JsonValue document = read_json_file(shipped(name));
  std::vector<std::string> bases;
  const auto add = [&](const JsonValue& base) {
    const auto path = std::filesystem::path(name).parent_path() / *base.string();
    bases.push_back(path.lexically_normal().replace_extension().string());
  };
  const auto* base = document.find("base");
  if (base && base->string()) add(*base);
  if (base && base->elements()) std::for_each(base->elements()->begin(), base->elements()->end(), add);
  return bases;
}

/// A file and all that it builds on.
std::set<std::string> built_from(const std::string& name) {
  std::set<std::string> all{name};
  for (const auto& base : bases_of(name)) all.merge(built_from(base));
  return all;
}

void collect(const JsonValue& value, const std::string& name, Constants& constants) {
  if (!value.is_object() || value.find("value")) {
    constants[name] = to_canonical_json(value);
    return;
  }
  for (const auto& [key, member] : *value.members()) {
    const bool of_file = key == "$schema" || key == "base" || key == "version" || key == "name" || key == "doc";
    if (!name.empty() || !of_file) {
      collect(member, name.empty() ? key : name + "." + key, constants);
    }
  }
}

Constants constants_in(const JsonValue& document) {
  Constants constants;
  collect(document, "", constants);
  return constants;
}

Constants own(const std::string& name) {
  return constants_in(read_json_file(shipped(name)));
}

Constants composed(const std::string& name) {
  return constants_in(Composition(shipped(name)).document());
}

struct Outcome {
  int status;
  std::string out, err;
};

Outcome run(std::vector<std::string> arguments) {
  std::ostringstream out, err;
  const int status = run_command_line(std::move(arguments), built_in_catalogue(), out, err);
  return {status, out.str(), err.str()};
}

}  // namespace

TEST_CASE("each value of a part holds in a testbed that uses the part") {
  std::map<std::string, Constants> testbeds;
  for (const auto& name : names(false)) testbeds[name] = composed(name);
  REQUIRE(testbeds.size() >= 5);
  for (const auto& part : names(true)) {
    std::vector<std::string> users;
    for (const auto& [testbed, constants] : testbeds) {
      if (built_from(testbed).contains(part)) users.push_back(testbed);
    }
    INFO(part);
    CHECK(!users.empty());
    for (const auto& constant : own(part)) {
      INFO(constant.first << ": " << constant.second);
      CHECK(std::any_of(users.begin(), users.end(),
                        [&](const auto& testbed) { return testbeds[testbed].at(constant.first) == constant.second; }));
    }
  }
}

TEST_CASE("no two parts give the same constant to one file, unless one builds on the other") {
  for (const bool parts : {false, true}) {
    for (const auto& file : names(parts)) {
      const auto bases = bases_of(file);
      for (const auto& one : bases) {
        for (const auto& other : bases) {
          if (one == other || built_from(one).contains(other) || built_from(other).contains(one)) continue;
          const auto given = composed(other);
          for (const auto& [constant, value] : composed(one)) {
            INFO(file << ": " << one << " and " << other << " give " << constant);
            CHECK(!given.contains(constant));
          }
        }
      }
    }
  }
}

TEST_CASE("a testbed repeats no value of the parts that it builds on") {
  for (const auto& testbed : names(false)) {
    Constants below;
    for (const auto& base : bases_of(testbed)) below.merge(composed(base));
    for (const auto& [constant, value] : own(testbed)) {
      const auto same = below.find(constant);
      INFO(testbed << ": " << constant);
      CHECK((same == below.end() || same->second != value));
    }
  }
}

TEST_CASE("validate says that a part is one, and refuses what it mistypes") {
  for (const auto& part : names(true)) {
    CHECK(run({"validate", shipped(part)}).out == shipped(part) + ": valid part of a testbed\n");
  }
  const TemporaryFolder folder;
  const auto mistyped = folder.write("nic.json", R"({"nic": {"mtuu": "4096B"}})");
  CHECK_THAT(run({"validate", mistyped}).err,
             Catch::Contains("/nic/mtuu: found the unknown key") && Catch::Contains("did you mean \"mtu\"?"));
  const auto beyond = folder.write("mine.json", R"({"base": "testbeds/parts/nic.json", "nic": {"rnr_timer": 32}})");
  CHECK_THAT(run({"validate", beyond}).err, Catch::Contains("/nic/rnr_timer: found the number 32, expected"));
  const auto older = folder.write("older.json", R"({"version": 0, "nic": {"mtu": "4096B"}})");
  CHECK_THAT(run({"validate", older}).err, Catch::Contains("/version: found the number 0"));
}

TEST_CASE("a scenario is refused that names a part as its testbed") {
  const TemporaryFolder folder;
  const auto scenario = folder.write("s.json", R"({"version": 1, "rack": "testbeds/parts/tofino-1.json",
      "protocol": {"name": "flowcc"}, "workload": {"kind": "micro"}})");
  folder.write("testbeds/parts/tofino-1.json", R"({"switch": {"ports": 32}})");
  CHECK_THAT(
      run({"validate", scenario}).err,
      Catch::StartsWith(scenario + ": /rack/testbed: found \"testbeds/parts/tofino-1.json\", a part of a testbed "
                                   "without \"nodes\", expected a testbed that builds on it"));
  CHECK_THAT(run({"validate", scenario, "--set", "rack=parts/tofino-1"}).err,
             Catch::Contains("found \"parts/tofino-1\", expected a testbed: \"cckvs-9\", \"concordia-8\""));
}

TEST_CASE("a testbed of one's own is put together from parts in any folder") {
  const TemporaryFolder folder;
  const auto file = folder.write("mine.json", R"({
    "base": ["testbeds/parts/server.json", "testbeds/parts/connectx-5.json", "testbeds/parts/tofino-1.json",
             "testbeds/parts/rack.json"],
    "nodes": 16,
    "rtt": "2200ns",
    "link": {"rate": "50Gbps"}
  })");
  CHECK(run({"validate", file}).out == file + ": valid testbed\n");
  const auto testbed = load_testbed(file, built_in_catalogue());
  CHECK(testbed.name == "mine");
  CHECK(testbed.rack.options->nodes == 16);
  CHECK(testbed.rack.options->link_bits_per_second == 50'000'000'000);
  CHECK(testbed.rack.options->network_switch.ports == 32);
  const auto says = [&](const std::string& name) {
    return std::any_of(testbed.annotations.begin(), testbed.annotations.end(),
                       [&](const Annotation& annotation) { return annotation.name == name; });
  };
  CHECK(says("link.propagation"));
  CHECK(!says("link.rate"));  // replaced with its source
}

TEST_CASE("what a testbed says of its constants comes in the order of their declarations") {
  const auto testbed = load_testbed(shipped("selcc-16"), built_in_catalogue());
  std::vector<std::string> declared, said;
  for (const auto& parameter : testbed.rack.parameters.all()) declared.push_back(parameter.name);
  for (const auto& annotation : testbed.annotations) said.push_back(annotation.name);
  CHECK(said == declared);
}

}  // namespace testbed_parts_test
