// The JSON Schema accepts and refuses what the reader does, as far as a schema can.
#include <catch2/catch.hpp>
#include <functional>

#include "tests/tools/scenario/fake_catalogue.hpp"
#include "tools/scenario/scenario.hpp"

namespace scenario_schema_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;

namespace {

const JsonValue& at(const JsonValue& schema, std::initializer_list<const char*> path) {
  const auto* value = &schema;
  for (const char* key : path) {
    value = value->find("properties") ? value->find("properties")->find(key) : nullptr;
    if (!value) throw std::runtime_error(std::string("the schema has no ") + key);
  }
  return *value;
}

/// Calls `visit` for every object schema with properties, wherever it stands.
void each_object_schema(const JsonValue& schema, const std::function<void(const JsonValue&)>& visit) {
  if (const auto* elements = schema.elements()) {
    for (const auto& element : *elements) each_object_schema(element, visit);
  }
  if (!schema.is_object()) return;
  if (schema.find("properties")) visit(schema);
  for (const auto& member : *schema.members()) each_object_schema(member.value, visit);
}

/// Of a scenario that builds on nothing, and of one that builds on another.
JsonValue whole_schema() {
  return *scenario_schema(fake_catalogue()).find("else");
}
JsonValue overlay() {
  return *scenario_schema(fake_catalogue()).find("then");
}

}  // namespace

TEST_CASE("the schema names every top-level key and asks for those without a default") {
  const auto schema = whole_schema();
  std::vector<std::string> keys;
  for (const auto& member : *schema.find("properties")->members()) keys.push_back(member.key);
  CHECK(keys == std::vector<std::string>{"$schema", "base", "version", "name", "doc", "seed", "rack", "protocol",
                                         "workload", "run", "faults", "check", "observe", "expect", "fuzz"});
  CHECK(to_canonical_json(*schema.find("required")) == R"(["version","rack","protocol","workload"])");
  CHECK(*scenario_schema(fake_catalogue()).find("$schema")->string() == "https://json-schema.org/draft/2020-12/schema");
}

TEST_CASE("components appear in the schema through their declarations") {
  const auto schema = whole_schema();
  CHECK(to_canonical_json(*at(schema, {"protocol", "name"}).find("enum")) == R"(["alpha","beta"])");
  CHECK(*at(schema, {"protocol", "beta", "cache", "bytes"}).find("type")->string() == "string");
  const auto& micro = at(schema, {"workload"}).find("oneOf")->elements()->front();
  CHECK(*at(micro, {"kind"}).find("const")->string() == "micro");
  CHECK(at(micro, {"read_ratio"}).find("maximum")->number() == 1.0);
  CHECK(at(schema, {"check", "single-writer"}).find("type"));
  CHECK(at(schema, {"run", "schedule", "jitter"}).find("pattern"));
  CHECK(at(schema, {"run", "schedule", "order"}).find("pattern"));
}

TEST_CASE("every object in the schema says what else it may hold") {
  int objects = 0;
  each_object_schema(scenario_schema(fake_catalogue()), [&](const JsonValue& schema) {
    ++objects;
    CHECK(schema.find("additionalProperties"));
  });
  CHECK(objects > 10);
}

TEST_CASE("a scenario with a base must have nothing else, and null removes what the base has") {
  CHECK(to_canonical_json(*scenario_schema(fake_catalogue()).find("if")) == R"({"required":["base"]})");
  each_object_schema(overlay(), [&](const JsonValue& schema) {
    const auto* kind = schema.find("properties")->find("kind");
    const bool in_array = kind && kind->find("const");  // a fault: arrays are replaced whole
    CHECK((in_array || !schema.find("required")));
  });
  CHECK(to_canonical_json(*at(overlay(), {"protocol", "name"}).find("enum")) == R"(["alpha","beta",null])");
  CHECK(to_canonical_json(*at(overlay(), {"seed"}).find("type")) == R"(["integer","null"])");
  CHECK(to_canonical_json(*at(overlay(), {"faults"}).find("type")) == R"(["array","null"])");
  // What speaks of the file itself is not inherited, and nothing to remove.
  CHECK(to_canonical_json(*at(overlay(), {"name"}).find("type")) == R"("string")");
}

TEST_CASE("a scenario with a base may remove an option of the base's workload when it names another") {
  const auto schema = overlay();
  const auto& micro = at(schema, {"workload"}).find("anyOf")->elements()->front();
  CHECK(to_canonical_json(*micro.find("additionalProperties")) == R"({"type":"null"})");
}

TEST_CASE("dotted paths of set have the forms that the values have in a scenario") {
  const auto set = set_schema(fake_catalogue());
  const auto& paths = *set.find("properties");
  CHECK(*paths.find("protocol.beta.cache.bytes")->find("pattern") ==
        *at(whole_schema(), {"protocol", "beta", "cache", "bytes"}).find("pattern"));
  CHECK(to_canonical_json(*paths.find("workload.read_ratio")->find("type")) == R"(["number","null"])");
  CHECK(paths.find("run.measure.operations"));
  CHECK(paths.find("protocol.beta"));
  CHECK(!paths.find("protocol.beta.cache.bytez"));
  CHECK_FALSE(*set.find("additionalProperties")->boolean());
}

TEST_CASE("a suite has cases, a testbed its version and nodes, and a part of a testbed neither") {
  CHECK(to_canonical_json(*suite_schema(fake_catalogue()).find("required")) == R"(["cases"])");
  CHECK(to_canonical_json(*testbed_schema(fake_catalogue()).find("else")->find("required")) ==
        R"(["version","nodes"])");
  CHECK(!testbed_part_schema(fake_catalogue()).find("required"));
  CHECK(at(testbed_part_schema(fake_catalogue()), {"link", "rate"}).find("anyOf"));
}

}  // namespace scenario_schema_test
