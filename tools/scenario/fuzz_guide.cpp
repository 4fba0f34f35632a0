// Reading `fuzz`. See fuzz_guide.hpp.
#include "tools/scenario/fuzz_guide.hpp"

#include <algorithm>

#include "tools/json/json_schema.hpp"
#include "tools/scenario/binding.hpp"

namespace racksim::tools {
namespace {

template <class Entry>
const Entry* find_path(const std::vector<Entry>& entries, const std::string& path) {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.path == path; });
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace

const FuzzGuide::Draw* FuzzGuide::draw_of(const std::string& path) const {
  return find_path(draw, path);
}

const FuzzGuide::Leave* FuzzGuide::leave_of(const std::string& path) const {
  return find_path(leave, path);
}

FuzzGuide read_fuzz_guide(const JsonValue& value, const JsonLocation& place) {
  FuzzGuide guide;
  require_object(value, place);
  bind(value, place, {}, {{"draw", "leave"}, nullptr});
  if (const auto* draw = value.find("draw")) {
    for (const auto& [path, values] : require_object(*draw, place.member("draw"))) {
      const auto where = place.member("draw").member(path);
      if (!values.is_array()) where.refuse(values.description(), "an array of values to draw from");
      if (values.elements()->empty()) where.refuse("an empty array", "at least one value");
      guide.draw.push_back({path, *values.elements()});
    }
  }
  if (const auto* leave = value.find("leave")) {
    for (const auto& [path, why] : require_object(*leave, place.member("leave"))) {
      const auto where = place.member("leave").member(path);
      if (guide.draw_of(path)) where.refuse("a parameter that is drawn too", "either of both");
      guide.leave.push_back({path, require_string(why, where, "why the parameter stays as it is")});
    }
  }
  return guide;
}

JsonValue fuzz_guide_schema() {
  return object_schema(
      {{"draw",
        map_schema(array_schema(true, 1), "Parameters by their dotted paths, and the values that each is drawn from.")},
       {"leave", map_schema(type_schema("string"), "Parameters that stay as they are here, and why.")}},
      {}, "What racksim fuzz draws of this template, beyond what the declarations of its options say.");
}

}  // namespace racksim::tools
