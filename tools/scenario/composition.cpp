// Putting documents together. See composition.hpp.
#include "tools/scenario/composition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "tools/files/data_files.hpp"
#include "tools/scenario/overrides.hpp"
#include "tools/text/nearest_name.hpp"
#include "tools/text/printable.hpp"

namespace racksim::tools {
namespace fs = std::filesystem;
namespace {

/// Files of one composition: more than anybody needs, and few enough for bases that name each other twice.
constexpr std::size_t kMostFiles = 32;

/// Members of an object that is merged, which is searched for each.
constexpr std::size_t kMostMembers = 1000;

/// What speaks of the file it stands in.
constexpr const char* kOwnMembers[] = {"name", "doc", "$schema"};

/// A value with its source: one value, however it is written.
bool is_annotated(const JsonValue& value) {
  return value.find("value") != nullptr && value.find("source") != nullptr;
}

bool is_figure(const JsonValue& document) {
  return document.find("series") != nullptr;
}

/// The files that a document builds on, and where each is named.
std::vector<std::pair<std::string, JsonLocation>> bases_of(const JsonValue& document, const JsonLocation& root) {
  std::vector<std::pair<std::string, JsonLocation>> bases;
  const auto* base = document.find("base");
  if (!base) return bases;
  const JsonLocation place = root.member("base");
  const std::string expected = "the path of a file, or an array of such";
  if (base->string()) {
    bases.emplace_back(*base->string(), place);
  } else if (base->elements() && !base->elements()->empty()) {
    for (std::size_t i = 0; i < base->elements()->size(); ++i) {
      const auto& element = (*base->elements())[i];
      if (!element.string()) place.element(i).refuse(element.description(), expected);
      bases.emplace_back(*element.string(), place.element(i));
    }
  } else {
    place.refuse(base->description(), expected);
  }
  return bases;
}

}  // namespace

/// Reads files and lays one over the other.
class Composer {
 public:
  Composition take(const std::string& path) {
    Composition result = compose(path, {path, ""});
    result.files_ = std::move(files_);
    return result;
  }

 private:
  /// `named` is where the path is given, for errors.
  Composition compose(const std::string& path, const JsonLocation& named) {
    const auto [file, case_name] = split_case(path);
    if (std::find(open_.begin(), open_.end(), path) != open_.end()) {
      named.refuse(fmt::format("a circle: {} -> {}", fmt::join(open_, " -> "), path), "a base that ends somewhere");
    }
    if (files_.size() == kMostFiles) named.refuse(fmt::format("more than {} files", kMostFiles), "fewer files in all");
    open_.push_back(path);
    files_.push_back(file);
    const JsonLocation root{file, ""};
    JsonValue own = read_json_file(file);
    note_input(file);
    for (const char* key : kOwnMembers) {
      const auto* value = own.find(key);
      if (value && !value->string()) root.member(key).refuse(value->description(), "a string");
    }
    const auto cases = own.find("cases") ? std::optional(*own.find("cases")) : std::nullopt;
    own.erase("cases");

    Composition result = over_bases(own, root, path);
    if (cases) {
      add_case(result, *cases, root, case_name, named);
    } else if (!case_name.empty()) {
      named.refuse("the case " + quote(case_name), "no case, as " + file + " has no \"cases\"");
    }
    open_.pop_back();
    return result;
  }

  /// The bases of a document, with the document over them.
  Composition over_bases(JsonValue& own, const JsonLocation& root, const std::string& path) {
    Composition result;
    result.path_ = path;
    const auto bases = bases_of(own, root);
    bool inherits = false;
    for (const auto& [name, place] : bases) {
      Composition base = compose(found(name, place), place);
      if (is_figure(own) && !is_figure(base.document_)) {
        if (bases.size() > 1) place.refuse(quote(name) + " beside others", "the one scenario of a figure");
        continue;
      }
      inherits = true;
      for (const char* key : kOwnMembers) base.document_.erase(key);
      if (const auto* scenario = base.document_.find("base")) {
        const auto from = base.origin("/base");
        base.document_.set("base", found(*scenario->string(), from));
      }
      if (folder_of(base.path_) != folder_of(root.file)) pin_files(base.document_, base.path_);
      if (result.values_.empty()) {
        base.path_ = path;
        result = std::move(base);
      } else {
        lay_over(result, base);
      }
    }
    if (inherits) own.erase("base");
    expand_rack(own);
    if (result.values_.empty()) {
      result.document_ = std::move(own);
      result.values_[""] = root;
    } else {
      merge(result, result.document_, own, "", root);
    }
    return result;
  }

  static std::string found(const std::string& name, const JsonLocation& place) {
    try {
      return find_named_file(name, place.file);
    } catch (const InputError& error) {
      place.refuse(quote(name),
                   "an existing file, from the folder of this one or among the scenarios that come with it",
                   error.nearest());
    }
  }

  static void add_case(Composition& result, const JsonValue& cases, const JsonLocation& root,
                       const std::string& case_name, const JsonLocation& named) {
    const JsonLocation place = root.member("cases");
    const std::string expected = "an object with an object for each case";
    if (!cases.is_object()) place.refuse(cases.description(), expected);
    std::vector<std::string> names;
    for (const auto& [name, content] : *cases.members()) {
      const auto here = place.member(name);
      if (!is_word(name)) here.refuse(quote(name), kWord);
      if (!content.is_object()) here.refuse(content.description(), expected);
      names.push_back(name);
    }
    if (names.empty()) place.refuse("no case", "at least one");
    if (case_name.empty()) {
      named.refuse(fmt::format("a suite of {} cases", names.size()), "a case, --case NAME: " + one_of(names));
    }
    const auto* found = cases.find(case_name);
    if (!found) {
      named.refuse("the case " + quote(case_name), one_of(names), nearest_name(case_name, names));
    }
    JsonValue own = *found;
    const JsonLocation here = place.member(case_name);
    for (const char* key : {"base", "cases"}) {
      if (own.find(key)) here.member(key).refuse("a member of a case", quote(key) + " outside of \"cases\"");
    }
    const auto set = own.find("set") ? std::optional(*own.find("set")) : std::nullopt;
    own.erase("set");
    for (const char* key : kOwnMembers) result.document_.erase(key);
    result.document_.set("name", word_of(fs::path(root.file).stem().string()) + "/" + case_name);
    expand_rack(own);
    merge(result, result.document_, own, "", here);
    if (set) set_values(result, *set, here.member("set"));
  }

  /// The values of a case's `set`, by their dotted paths.
  static void set_values(Composition& result, const JsonValue& set, const JsonLocation& place) {
    if (!set.is_object()) place.refuse(set.description(), "an object of values by their dotted paths");
    check_size(set, place);
    for (const auto& [path, value] : *set.members()) {
      const JsonLocation here = place.member(path);
      if (path.find('=') != std::string::npos)
        here.refuse("an \"=\" in the path", "a dotted path, with its value behind it");
      try {
        Override override_ = parse_override(path + "=null");
        override_.value = value;
        if (value.is_null() && erase_overridden(result.document_, override_)) continue;
        apply_override(result.document_, override_);
        note_value(result, override_.pointer, here);
      } catch (const InputError& error) {
        here.refuse(error.found(), error.expected(), error.nearest());
      }
      expand_rack(result.document_);
    }
  }

  /// The base that follows goes over those before it.
  static void lay_over(Composition& result, const Composition& base) {
    merge_from(result, result.document_, base.document_, "",
               [&](const std::string& pointer) { return base.origin(pointer); });
  }

  static void merge(Composition& result, JsonValue& onto, const JsonValue& own, const std::string& pointer,
                    const JsonLocation& place) {
    merge_from(result, onto, own, pointer, [&](const std::string& at) {
      return JsonLocation{place.file, place.pointer + at};
    });
  }

  template <class Origin>
  static void merge_from(Composition& result, JsonValue& onto, const JsonValue& own, const std::string& pointer,
                         const Origin& origin) {
    if (!onto.is_object() || !own.is_object() || is_annotated(own)) {
      onto = own;
      note_value(result, pointer, origin(pointer));
      return;
    }
    check_size(onto, origin(pointer));
    check_size(own, origin(pointer));
    result.objects_[pointer] = origin(pointer);
    for (const auto& [key, value] : *own.members()) {
      const std::string at = fmt::format("{}/{}", pointer, pointer_token(key));
      auto* present = onto.find(key);
      if (present && !value.is_null()) {
        merge_from(result, *present, value, at, origin);
        continue;
      }
      if (present) {
        onto.erase(key);
      } else {
        onto.append({key, value});
      }
      note_value(result, at, origin(at));
    }
  }

  static void check_size(const JsonValue& object, const JsonLocation& place) {
    const auto size = object.members()->size();
    if (size <= kMostMembers) return;
    place.refuse(fmt::format("an object of {} members", size),
                 fmt::format("at most {} where files build on others", kMostMembers));
  }

  /// The value at `pointer` with all that is in it comes from `place`.
  static void note_value(Composition& result, const std::string& pointer, JsonLocation place) {
    for (auto* noted : {&result.values_, &result.objects_}) {
      noted->erase(pointer);
      const auto begin = noted->lower_bound(pointer + "/"), end = noted->lower_bound(pointer + "0");  // '0' follows '/'
      noted->erase(begin, end);
    }
    result.values_[pointer] = std::move(place);
  }

  std::vector<std::string> open_;   ///< the files that are being put together, from the outermost
  std::vector<std::string> files_;  ///< all that were read, in this order
};

Composition::Composition(const std::string& path) : Composition(Composer().take(path)) {}

JsonLocation Composition::origin(const std::string& pointer) const {
  const auto object = objects_.find(pointer);
  if (object != objects_.end()) return object->second;
  for (std::string outer = pointer;; outer.erase(outer.rfind('/'))) {
    const auto value = values_.find(outer);
    if (value != values_.end()) return {value->second.file, value->second.pointer + pointer.substr(outer.size())};
    if (outer.empty()) return {path_, pointer};
  }
}

void Composition::rethrow(const InputError& error) const {
  if (error.file() != path_) throw error;
  const auto [file, pointer] = origin(error.pointer());
  throw InputError(file, pointer, error.found(), error.expected(), error.nearest());
}

std::vector<std::string> case_names(const JsonValue& document) {
  std::vector<std::string> names;
  const auto* cases = document.find("cases");
  if (!cases || !cases->is_object()) return names;
  for (const auto& [name, content] : *cases->members()) names.push_back(name);
  return names;
}

void expand_rack(JsonValue& document) {
  auto* rack = document.find("rack");
  if (!rack || !rack->string()) return;
  auto testbed = *rack;
  *rack = JsonValue::object();
  rack->set("testbed", std::move(testbed));
}

namespace {

std::string pinned(const fs::path& path) {
  std::string whole = fs::absolute(path).lexically_normal().string();
  check_printable(whole, {whole, ""});
  return whole;
}

}  // namespace

void pin_files(JsonValue& document, const std::string& file) {
  expand_rack(document);
  auto* workload = document.find("workload");
  auto* input = workload ? workload->find("file") : nullptr;
  std::error_code error;
  if (input && input->string() && fs::is_regular_file(folder_of(file) / *input->string(), error)) {
    *input = pinned(folder_of(file) / *input->string());
  }
  auto* rack = document.find("rack");
  auto* testbed = rack ? rack->find("testbed") : nullptr;
  if (!testbed || !testbed->string()) return;
  const auto found = find_testbed_file(*testbed->string(), folder_of(file));
  // One that comes with the program is found by its name from anywhere.
  if (found.empty() || found == find_testbed_file(*testbed->string(), fs::path{})) return;
  *testbed = pinned(found);
}

}  // namespace racksim::tools
