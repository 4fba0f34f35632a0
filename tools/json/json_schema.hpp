// Pieces of JSON Schemas (draft 2020-12), and what becomes of a schema for a document that builds on another.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "tools/json/json_document.hpp"

namespace racksim::tools {

/// A value of this JSON type.
JsonValue type_schema(const char* type, const char* description = nullptr);
/// A string that a regular expression describes.
JsonValue pattern_schema(std::string regex, const char* description = nullptr);
/// A string with at least one character.
JsonValue name_schema(const char* description = nullptr);
/// A number, or a whole one, that is not below `least`.
JsonValue number_schema(double least, const char* description = nullptr);
JsonValue integer_schema(std::uint64_t least, const char* description = nullptr);
/// The same, that is not above `most` either.
JsonValue integer_schema(std::uint64_t least, std::uint64_t most, const char* description = nullptr);
/// One of these strings.
JsonValue enum_schema(const std::vector<std::string>& names, const char* description = nullptr);
/// This value and no other.
JsonValue const_schema(JsonValue value);
JsonValue any_of_schemas(std::initializer_list<JsonValue> schemas, const char* description = nullptr);
/// An array of at least so many elements.
JsonValue array_schema(JsonValue items, std::uint64_t least = 0, const char* description = nullptr);
/// An object schema without properties that refuses unknown ones.
JsonValue empty_object_schema();
/// One with these, of which some must be there.
JsonValue object_schema(std::initializer_list<JsonValue::Member> properties,
                        std::initializer_list<const char*> required = {}, const char* description = nullptr);
/// An object whose members have any name and all the same form.
JsonValue map_schema(JsonValue values, const char* description = nullptr);
/// A reference to `#/$defs/NAME` of the same schema.
JsonValue definition_schema(const char* name);

/// The `properties` of an object schema.
JsonValue& properties_of(JsonValue& object_schema);
/// Members that must be there.
void require_members(JsonValue& object_schema, std::initializer_list<const char*> names);

/// The schema of a file: an object schema with its title, what it is for, and "$schema" as a property.
JsonValue file_schema(const char* title, const char* description, JsonValue object_schema);

/// The same value, or null.
JsonValue nullable_schema(JsonValue schema);

/// A schema for what is laid over a document (tools/scenario/composition.hpp): no member must be there, and null removes
/// one. Arrays are replaced whole, so that their elements keep their form.
JsonValue overlay_schema(const JsonValue& schema);

}  // namespace racksim::tools
