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

}  // namespace

TEST_CASE("the schema names every top-level key and asks for those without a default") {
  const auto schema = scenario_schema(fake_catalogue());
  std::vector<std::string> keys;
  for (const auto& member : *schema.find("properties")->members()) keys.push_back(member.key);
  CHECK(keys == std::vector<std::string>{"$schema", "version", "name", "doc", "seed", "rack", "protocol", "workload",
                                         "run", "faults", "check", "observe", "expect"});
  CHECK(to_canonical_json(*schema.find("required")) == R"(["version","rack","protocol","workload"])");
  CHECK(*schema.find("$schema")->string() == "https://json-schema.org/draft/2020-12/schema");
}

TEST_CASE("components appear in the schema through their declarations") {
  const auto schema = scenario_schema(fake_catalogue());
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

}  // namespace scenario_schema_test
