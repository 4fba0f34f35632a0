// Declared parameters are set from JSON, dumped as JSON and described as JSON Schema.
#include "tools/scenario/binding.hpp"

#include <catch2/catch.hpp>

#include "tests/tools/refusal.hpp"
#include "tests/tools/scenario/fake_catalogue.hpp"
#include "tools/json/json_schema.hpp"

namespace binding_test {

using namespace racksim;
using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

/// One parameter of each kind.
struct Everything {
  bool flag = false;
  std::uint64_t count = 3;
  double real = 1.5;
  std::uint64_t bytes = 4096;
  sim::Duration delay = 5_us;
  std::uint64_t rate = 1'000'000'000;
  Ownership owner = Ownership::home;
  std::string text = "t";

  sim::Parameters declared() {
    sim::Parameters parameters;
    parameters.flag("flag", flag, "A flag.");
    parameters.integer("count", count, 1, 10, "A count.");
    parameters.real("real", real, -2.0, 2.0, "A real.");
    parameters.size("cache.bytes", bytes, 64, 1 << 20, "A size.");
    parameters.length("cache.delay", delay, 1_ns, 1_ms, "A length.");
    parameters.rate("rate", rate, 1000, 100'000'000'000, "A rate.");
    parameters.choice("owner", owner, {{"home", Ownership::home}, {"switch", Ownership::in_switch}}, "A choice.");
    parameters.text("text", text, "A text.");
    return parameters;
  }
};

std::string refuse(std::string_view json) {
  Everything options;
  return refusal([&] { bind(parse_json(json, "f"), {"f", "/o"}, options.declared()); });
}

}  // namespace

TEST_CASE("every kind of parameter is set") {
  Everything options;
  bind(parse_json(R"({"flag": true, "count": 10, "real": -2, "cache": {"bytes": "1KiB", "delay": "1.5us"},
                      "rate": "100Gbps", "owner": "switch", "text": "hello"})",
                  "f"),
       {"f", ""}, options.declared());
  CHECK(options.flag);
  CHECK(options.count == 10);
  CHECK(options.real == -2.0);
  CHECK(options.bytes == 1024);
  CHECK(options.delay == 1500_ns);
  CHECK(options.rate == 100'000'000'000);
  CHECK(options.owner == Ownership::in_switch);
  CHECK(options.text == "hello");
}

TEST_CASE("an optional number is a number or null, and says so in the schema") {
  std::optional<std::uint64_t> node;
  sim::Parameters parameters;
  parameters.optional_integer("node", node, 1, 9, "A node.");
  const auto set = [&](const char* json) { bind(parse_json(json, "f"), {"f", ""}, parameters); };
  CHECK(to_canonical_json(values_in_effect(parameters)) == R"({"node":null})");
  set(R"({"node": 9})");
  CHECK(node == 9);
  CHECK(to_canonical_json(values_in_effect(parameters)) == R"({"node":9})");
  set(R"({"node": null})");
  CHECK(!node);
  for (const char* wrong : {R"({"node": 0})", R"({"node": 10})", R"({"node": "1"})", R"({"node": 1.5})"}) {
    CHECK_THAT(refusal([&] { set(wrong); }), Catch::EndsWith("expected a whole number from 1 to 9, or null"));
  }
  JsonValue schema = empty_object_schema();
  add_schema(schema, parameters);
  CHECK(to_canonical_json(*schema.find("properties")) ==
        R"({"node":{"description":"A node.","maximum":9,"minimum":1,"type":["integer","null"]}})");
}

TEST_CASE("an optional ratio is a number from 0 to 1 or null, and says so in the schema") {
  std::optional<double> share;
  sim::Parameters parameters;
  parameters.optional_ratio("share", share, "A share.");
  const auto set = [&](const char* json) { bind(parse_json(json, "f"), {"f", ""}, parameters); };
  CHECK(to_canonical_json(values_in_effect(parameters)) == R"({"share":null})");
  set(R"({"share": 0.5})");
  CHECK(share == 0.5);
  CHECK(to_canonical_json(values_in_effect(parameters)) == R"({"share":0.5})");
  set(R"({"share": 1})");
  CHECK(share == 1.0);
  set(R"({"share": null})");
  CHECK(!share);
  for (const char* wrong : {R"({"share": -0.1})", R"({"share": 1.1})", R"({"share": "1"})", R"({"share": []})"}) {
    CHECK_THAT(refusal([&] { set(wrong); }), Catch::EndsWith("expected a number from 0 to 1, or null"));
  }
  JsonValue schema = empty_object_schema();
  add_schema(schema, parameters);
  CHECK(to_canonical_json(*schema.find("properties")) ==
        R"({"share":{"description":"A share.","maximum":1.0,"minimum":0.0,"type":["number","null"]}})");
}

TEST_CASE("what is not given keeps its default") {
  Everything options;
  bind(parse_json(R"({"cache": {}})", "f"), {"f", ""}, options.declared());
  CHECK(options.count == 3);
  CHECK(options.bytes == 4096);
}

TEST_CASE("unknown keys are refused with the nearest valid name at that level") {
  CHECK(refuse(R"({"cuont": 1})") ==
        "f: /o/cuont: found the unknown key \"cuont\", expected \"flag\", \"count\", \"real\", \"cache\", \"rate\", "
        "\"owner\" or \"text\" (did you mean \"count\"?)");
  CHECK(refuse(R"({"cache": {"byte": "1KiB"}})") ==
        "f: /o/cache/byte: found the unknown key \"byte\", expected \"bytes\" or \"delay\" (did you mean \"bytes\"?)");
  CHECK_THAT(refuse(R"({"cache.bytes": "1KiB"})"), Catch::Contains("unknown key"));
  CHECK_THAT(refuse(R"({"": 1})"), Catch::StartsWith("f: /o/: found the unknown key \"\""));
}

TEST_CASE("wrong types are refused") {
  CHECK(refuse(R"({"flag": 1})") == "f: /o/flag: found the number 1, expected true or false");
  CHECK(refuse(R"({"count": "3"})") == "f: /o/count: found the string \"3\", expected a whole number from 1 to 10");
  CHECK(refuse(R"({"count": 2.5})") == "f: /o/count: found the number 2.5, expected a whole number from 1 to 10");
  CHECK(refuse(R"({"real": true})") == "f: /o/real: found true, expected a number from -2 to 2");
  CHECK(refuse(R"({"text": null})") == "f: /o/text: found null, expected a string");
  CHECK(refuse(R"({"cache": 1})") == "f: /o/cache: found the number 1, expected an object");
  CHECK_THAT(refuse(R"({"cache": {"bytes": 4096}})"), Catch::Contains("expected a size such as \"4KiB\""));
  CHECK_THAT(refuse(R"({"cache": {"delay": {}}})"), Catch::Contains("found an object, expected a length of time"));
  CHECK_THAT(refuse(R"({"rate": "fast"})"), Catch::Contains("expected a data rate such as \"100Gbps\""));
  CHECK(refuse("[]") == "f: /o: found an empty array, expected an object");
}

TEST_CASE("values out of range are refused, the ends of the range are not") {
  CHECK(refuse(R"({"count": 1})") == "accepted");
  CHECK_THAT(refuse(R"({"count": 0})"), Catch::Contains("from 1 to 10"));
  CHECK_THAT(refuse(R"({"count": 11})"), Catch::Contains("from 1 to 10"));
  CHECK_THAT(refuse(R"({"count": -1})"), Catch::Contains("found the number -1"));
  CHECK_THAT(refuse(R"({"count": 1e300})"), Catch::Contains("from 1 to 10"));
  CHECK_THAT(refuse(R"({"real": 2.0000001})"), Catch::Contains("from -2 to 2"));
  CHECK(refuse(R"({"cache": {"bytes": "1MiB"}})") == "accepted");
  CHECK_THAT(refuse(R"({"cache": {"bytes": "1048577B"}})"), Catch::Contains("expected 64B to 1MiB"));
  CHECK_THAT(refuse(R"({"cache": {"delay": "999ps"}})"), Catch::Contains("expected 1ns to 1ms"));
  CHECK_THAT(refuse(R"({"rate": "101Gbps"})"), Catch::Contains("expected 1Kbps to 100Gbps"));
  CHECK(refuse(R"({"owner": "swtich"})") ==
        "f: /o/owner: found the string \"swtich\", expected \"home\" or \"switch\" (did you mean \"switch\"?)");
}

TEST_CASE("reserved names are left to the caller, and suggested") {
  Everything options;
  const auto parameters = options.declared();
  bind(parse_json(R"({"kind": [], "count": 4})", "f"), {"f", ""}, parameters, {{"kind"}, nullptr});
  CHECK(options.count == 4);
  CHECK_THAT(refusal([&] {
               bind(parse_json(R"({"knid": 1})", "f"), {"f", ""}, parameters, {{"kind"}, nullptr});
             }),
             Catch::Contains("did you mean \"kind\"?"));
}

TEST_CASE("constants may carry where they come from") {
  Everything options;
  const auto parameters = options.declared();
  std::vector<Annotation> annotations;
  const BindRules rules{{}, &annotations};
  bind(parse_json(R"({"count": 4, "cache": {"bytes": {"value": "1KiB", "source": "paper §7", "calibrated": "fig9",
                                                      "note": "n"}}})",
                  "f"),
       {"f", ""}, parameters, rules);
  CHECK(options.count == 4);
  CHECK(options.bytes == 1024);
  REQUIRE(annotations.size() == 1);
  CHECK(annotations[0].name == "cache.bytes");
  CHECK(annotations[0].source == "paper §7");
  CHECK(annotations[0].calibrated == "fig9");
  CHECK(annotations[0].note == "n");

  SECTION("a plain value given later takes the annotation away: it is no longer the paper's") {
    bind(parse_json(R"({"cache": {"bytes": "2KiB"}})", "f"), {"f", ""}, parameters, rules);
    CHECK(options.bytes == 2048);
    CHECK(annotations.empty());
  }
  SECTION("errors point into the annotated form") {
    const auto refuse = [&](std::string_view json) {
      return refusal([&] { bind(parse_json(json, "f"), {"f", ""}, parameters, rules); });
    };
    CHECK_THAT(refuse(R"({"count": {"value": 11}})"), Catch::StartsWith("f: /count/value: found the number 11"));
    CHECK_THAT(refuse(R"({"count": {"source": "x"}})"),
               Catch::StartsWith("f: /count: found an object without \"value\""));
    CHECK_THAT(refuse(R"({"count": {"value": 1, "sauce": "x"}})"), Catch::Contains("did you mean \"source\"?"));
  }
  SECTION("elsewhere the annotated form is an error") {
    CHECK_THAT(refuse(R"({"count": {"value": 4}})"), Catch::Contains("found an object, expected a whole number"));
  }
}

TEST_CASE("values in effect read back as themselves") {
  Everything options;
  const auto values = values_in_effect(options.declared());
  CHECK(to_canonical_json(values) == R"({"cache":{"bytes":"4KiB","delay":"5us"},"count":3,"flag":false,"owner":"home",)"
                                     R"("rate":"1Gbps","real":1.5,"text":"t"})");
  Everything others{true, 9, 0.25, 64, 7_ps + 1_ns, 5000, Ownership::in_switch, ""};
  const auto dumped = values_in_effect(others.declared());
  bind(dumped, {"f", ""}, options.declared());
  CHECK(values_in_effect(options.declared()) == dumped);
}

TEST_CASE("the schema follows the declarations") {
  Everything options;
  auto schema = empty_object_schema();
  add_schema(schema, options.declared());
  const auto& properties = *schema.find("properties");
  CHECK(to_canonical_json(*properties.find("count")) ==
        R"({"description":"A count.","maximum":10,"minimum":1,"type":"integer"})");
  CHECK(to_canonical_json(*properties.find("owner")) == R"({"description":"A choice.","enum":["home","switch"]})");
  CHECK(to_canonical_json(*properties.find("flag")) == R"({"description":"A flag.","type":"boolean"})");
  const auto& cache = *properties.find("cache");
  CHECK(*cache.find("additionalProperties")->boolean() == false);
  CHECK(*cache.find("properties")->find("delay")->find("pattern")->string() == "^[0-9]+(\\.[0-9]+)?(ps|ns|us|ms|s)$");

  auto annotated = empty_object_schema();
  add_schema(annotated, options.declared(), true);
  CHECK(annotated.find("properties")->find("count")->find("anyOf")->elements()->size() == 2);
}

}  // namespace binding_test
