// What an option means is echoed and hashed, not how it is written: one run has one hash.
#include <catch2/catch.hpp>
#include <set>

#include "tools/files/data_files.hpp"
#include "tools/scenario/scenario.hpp"

namespace canonical_options_test {

using namespace racksim;
using namespace racksim::tools;

namespace {

Scenario with(const std::string& file, const std::vector<std::string>& overrides) {
  return load_scenario(find_scenario_file(file), built_in_catalogue(), overrides);
}

/// What the run hash begins with, of `file` with one value replaced.
std::string hashed(const std::string& file, const std::string& path, const std::string& value) {
  return behavioural_configuration(with(file, {path + "=" + value}));
}

std::string partition(const std::string& nodes) {
  return hashed("quickstart.json", "faults", R"([{"kind": "partition", "nodes": ")" + nodes + R"("}])");
}

std::string profile(const std::string& text) {
  return hashed("faults/availability.json", "faults.0.profile", text);
}

std::string program(const std::string& text) {
  return behavioural_configuration(with("litmus/sb.json", {"workload.required=", "workload.program=" + text}));
}

std::string allowed(const std::string& text) {
  return behavioural_configuration(with("litmus/sb.json", {"workload.required=", "workload.allowed=" + text}));
}

}  // namespace

TEST_CASE("a partition is the nodes of its side, however they are listed") {
  const std::string two = partition("0,1");
  for (const char* same : {"0-1", "00-01", "1,0", "0,0-1", "0-0,1-1", "000,1"}) {
    CAPTURE(same);
    CHECK(partition(same) == two);
  }
  for (const char* other : {"0", "1", "0-2", "0,2"}) {
    CAPTURE(other);
    CHECK(partition(other) != two);
  }
  CHECK_THAT(
      to_canonical_json(configuration(with("quickstart.json", {R"(faults=[{"kind":"partition","nodes":"02-3,0"}])"}))),
      Catch::Contains(R"("nodes":"0,2,3")"));
}

TEST_CASE("the only switch is the same whether it is named or not") {
  const auto hit = [](const std::string& which) {
    return hashed("quickstart.json", "faults", R"([{"kind": "switch-restart", "from": "1us")" + which + "}]");
  };
  const std::string one = hit("");
  CHECK(hit(R"(, "switch": "")") == one);
  CHECK(hit(R"(, "switch": "switch")") == one);
  CHECK(hit(R"(, "switch": "tor0")") != one);
}

TEST_CASE("an availability profile is its times and states, however they are written") {
  const std::string shipped = profile("0.0001 0; 0.0002 1; LOOPAFTER 0.0003");
  for (const char* same : {"0.0001 0;0.0002 1;LOOPAFTER 0.0003", "1e-4 0; 2e-4 1; LOOPAFTER 3e-4",
                           " 0.00010  0 ; 0.0002  1;; LOOPAFTER 0.000300;"}) {
    CAPTURE(same);
    CHECK(profile(same) == shipped);
  }
  for (const char* other : {"0.0001 0; 0.0002 1", "0.0001 0; 0.0002 1; LOOPAFTER 0.0003001",
                            "0.000100000001 0; 0.0002 1; LOOPAFTER 0.0003"}) {
    CAPTURE(other);
    CHECK(profile(other) != shipped);
  }
}

TEST_CASE("a litmus program is its sessions and operations, whatever stands between them") {
  const std::string one = program(
      "{x@4; y@5} P0@0: x=1; r0=y | P1@1/2: y=1; fence; r1=cas(y,0,3) | P2: r2=faa(x,1); lock(y); unlock(y) | end: "
      "r3=x");
  CHECK(program("{x@4;y@5}P0@0:x=1;r0=y|P1@1/2:y=1;fence;r1=cas(y,0,3)|P2:r2=faa(x,1);lock(y);unlock(y)|end:r3=x") ==
        one);
}

TEST_CASE("a list of outcomes is the outcomes, whatever their order and that of their parts") {
  const std::string two = allowed("r0=0 & r1=1; r0=1 & r1=0");
  for (const char* same :
       {"r0=0&r1=1;r0=1&r1=0", "r1=1 & r0=0; r0=1 & r1=0", "r0=1 & r1=0; r0=0 & r1=1", "r0=00 & r1=01; r0=1 & r1=0"}) {
    CAPTURE(same);
    CHECK(allowed(same) == two);
  }
  CHECK(allowed("r0=0 & r1=1") != two);
  CHECK(allowed("r0=0 & r1=1; r0=1 & r1=1") != two);
}

TEST_CASE("negative zero is zero, and a number is its value") {
  const auto ratio = [](const char* value) { return hashed("quickstart.json", "workload.read_ratio", value); };
  CHECK(ratio("-0.0") == ratio("0"));
  CHECK(ratio("-0") == ratio("0.0"));
  CHECK(ratio("5e-1") == ratio("0.50"));
  CHECK(ratio("0") != ratio("1e-300"));
  const auto repetitions = [](const char* value) { return hashed("litmus/sb.json", "workload.repetitions", value); };
  CHECK(repetitions("1e3") == repetitions("1000"));
}

TEST_CASE("every option that is a text is a name, or says how what it means is written") {
  const std::set<std::string> names{"header", "field", "switch", "link", "file", "columns"};
  const Catalogue& catalogue = built_in_catalogue();
  const auto check = [&](const sim::Parameters& parameters) {
    for (const auto& parameter : parameters.all()) {
      if (!std::holds_alternative<sim::Parameter::Text>(parameter.kind)) continue;
      CAPTURE(parameter.name);
      CHECK((parameter.canonical || names.contains(parameter.name)));
    }
  };
  const auto check_all = [&](const auto& entries) {
    for (const auto& entry : entries) {
      sim::Parameters parameters;
      const auto options = entry.make(parameters);
      check(parameters);
    }
  };
  check_all(catalogue.protocols);
  check_all(catalogue.workloads);
  check_all(catalogue.faults);
  check_all(std::vector{catalogue.rack});
}

}  // namespace canonical_options_test
