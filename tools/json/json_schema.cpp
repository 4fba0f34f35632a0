// Pieces of JSON Schemas. See json_schema.hpp.
#include "tools/json/json_schema.hpp"

namespace racksim::tools {
namespace {

JsonValue described(JsonValue schema, const char* description) {
  if (description) schema.set("description", description);
  return schema;
}

/// True for the object of a choice by "kind".
bool has_kind(const JsonValue& schema) {
  const auto* properties = schema.find("properties");
  const auto* kind = properties ? properties->find("kind") : nullptr;
  return kind && kind->find("const");
}

}  // namespace

JsonValue type_schema(const char* type, const char* description) {
  return described(JsonValue::object({{"type", type}}), description);
}

JsonValue pattern_schema(std::string regex, const char* description) {
  return described(JsonValue::object({{"type", "string"}, {"pattern", std::move(regex)}}), description);
}

JsonValue name_schema(const char* description) {
  return described(JsonValue::object({{"type", "string"}, {"minLength", 1}}), description);
}

JsonValue number_schema(double least, const char* description) {
  return described(JsonValue::object({{"type", "number"}, {"minimum", least}}), description);
}

JsonValue integer_schema(std::uint64_t least, const char* description) {
  return described(JsonValue::object({{"type", "integer"}, {"minimum", least}}), description);
}

JsonValue integer_schema(std::uint64_t least, std::uint64_t most, const char* description) {
  return described(JsonValue::object({{"type", "integer"}, {"minimum", least}, {"maximum", most}}), description);
}

JsonValue enum_schema(const std::vector<std::string>& names, const char* description) {
  return described(JsonValue::object({{"enum", array_of(names)}}), description);
}

JsonValue const_schema(JsonValue value) {
  return JsonValue::object({{"const", std::move(value)}});
}

JsonValue any_of_schemas(std::initializer_list<JsonValue> schemas, const char* description) {
  return described(JsonValue::object({{"anyOf", JsonValue::array(schemas)}}), description);
}

JsonValue array_schema(JsonValue items, std::uint64_t least, const char* description) {
  auto schema = described(type_schema("array"), description);
  schema.set("items", std::move(items));
  if (least > 0) schema.set("minItems", least);
  return schema;
}

JsonValue empty_object_schema() {
  return JsonValue::object({{"type", "object"}, {"properties", JsonValue::object()}, {"additionalProperties", false}});
}

JsonValue object_schema(std::initializer_list<JsonValue::Member> properties,
                        std::initializer_list<const char*> required, const char* description) {
  auto schema = described(empty_object_schema(), description);
  properties_of(schema).set(properties);
  if (required.size() > 0) require_members(schema, required);
  return schema;
}

JsonValue map_schema(JsonValue values, const char* description) {
  auto schema = described(type_schema("object"), description);
  schema.set("additionalProperties", std::move(values));
  return schema;
}

JsonValue definition_schema(const char* name) {
  return JsonValue::object({{"$ref", std::string("#/$defs/") + name}});
}

JsonValue& properties_of(JsonValue& object_schema) {
  return *object_schema.find("properties");
}

void require_members(JsonValue& object_schema, std::initializer_list<const char*> names) {
  object_schema.set("required", array_of(names));
}

JsonValue file_schema(const char* title, const char* description, JsonValue object_schema) {
  auto properties = JsonValue::object({{"$schema", type_schema("string", "The JSON Schema that an editor may use.")}});
  for (const auto& member : *object_schema.find("properties")->members()) properties.set(member.key, member.value);
  object_schema.set("properties", std::move(properties));
  auto schema = JsonValue::object(
      {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}, {"description", description}});
  for (const auto& [key, value] : *object_schema.members()) schema.set(key, value);
  return schema;
}

JsonValue nullable_schema(JsonValue schema) {
  if (const bool* any = schema.boolean()) return *any ? schema : type_schema("null");
  if (auto* choices = schema.find("anyOf")) {
    choices->push(type_schema("null"));
  } else if (auto* names = schema.find("enum")) {
    names->push({});
  } else if (const auto* only = schema.find("const")) {
    auto both = JsonValue::array({*only, {}});
    schema.erase("const");
    schema.set("enum", std::move(both));
  } else if (const auto* type = schema.find("type"); type && type->string()) {
    schema.set("type", JsonValue::array({*type, "null"}));
  } else if (schema.find("$ref")) {
    return any_of_schemas({std::move(schema), type_schema("null")});
  }
  return schema;
}

JsonValue overlay_schema(const JsonValue& schema) {
  if (!schema.is_object()) return schema;
  auto result = JsonValue::object();
  for (const auto& [key, value] : *schema.members()) {
    if (key == "required" || key == "minProperties") continue;
    if (key == "properties") {
      auto& properties = result.set(key, JsonValue::object());
      for (const auto& [name, property] : *value.members()) {
        properties.set(name, nullable_schema(overlay_schema(property)));
      }
    } else if (key == "additionalProperties") {
      // What is laid over may be of another kind, and removes what that one does not know.
      result.set(key, has_kind(schema)    ? type_schema("null")
                      : value.is_object() ? nullable_schema(overlay_schema(value))
                                          : value);
    } else if (key == "anyOf" || key == "oneOf") {
      // Without the member that tells them apart, more than one may fit.
      result.set("anyOf", array_of(*value.elements(), overlay_schema));
    } else {
      result.set(key, value);
    }
  }
  return result;
}

}  // namespace racksim::tools
