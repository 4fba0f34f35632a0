// Looking for data files.
#include "tools/files/data_files.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tools/json/input_error.hpp"
#include "tools/text/nearest_name.hpp"
#include "tools/text/system_error.hpp"

namespace racksim::tools {
namespace fs = std::filesystem;
namespace {

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error) && !fs::is_directory(path, error);
}

/// A file, or the case FILE/CASE of one.
bool is_file_or_case(const fs::path& path) {
  return is_file(path) || is_file(path.parent_path());
}

/// An existing file in the same folder with a name like the one that was not found.
std::string nearest_file(const fs::path& path) {
  std::vector<std::string> names;
  std::error_code error;
  const auto folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  const auto name = nearest_name(path.filename().string(), names);
  return name.empty() ? "" : (path.parent_path() / name).string();
}

std::vector<std::string>& inputs() {
  static std::vector<std::string> files;
  return files;
}

}  // namespace

void note_input(const std::string& file) {
  inputs().push_back(file);
}

std::string input_at(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return "";
  const auto same = std::find_if(inputs().begin(), inputs().end(),
                                 [&](const std::string& file) { return fs::equivalent(file, path, error); });
  return same == inputs().end() ? "" : *same;
}

fs::path scenarios_folder() {
  std::error_code error;
  const auto executable = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    auto installed = executable.parent_path().parent_path() / "share" / "racksim" / "scenarios";
    if (fs::is_directory(installed, error)) return installed;
  }
  auto source = fs::path(RACKSIM_SOURCE_DIR) / "scenarios";
  return fs::is_directory(source, error) ? source : fs::path();
}

std::string find_scenario_file(const std::string& path) {
  std::error_code error;
  if (is_file_or_case(path) || fs::exists(path, error) || error) return path;
  const auto folder = scenarios_folder();
  if (!folder.empty() && fs::path(path).is_relative()) {
    for (const auto& candidate : {folder / path, folder.parent_path() / path}) {
      if (is_file_or_case(candidate)) return candidate.string();
    }
  }
  JsonLocation{path, ""}.refuse("no such file", "a scenario file", nearest_file(path));
}

std::string find_named_file(const std::string& path, const std::string& file) {
  const auto beside = folder_of(file) / path;
  if (is_file_or_case(beside)) return beside.string();
  try {
    return find_scenario_file(path);
  } catch (const InputError&) {
    const auto nearest = fs::path(nearest_file(beside)).filename();
    JsonLocation{path, ""}.refuse("no such file", "a file",
                                  nearest.empty() ? "" : (fs::path(path).parent_path() / nearest).string());
  }
}

CasePath split_case(const std::string& path) {
  const auto file = fs::path(path).parent_path();
  return is_file(file) ? CasePath{file.string(), fs::path(path).filename().string()} : CasePath{path, ""};
}

fs::path folder_of(const std::string& path) {
  return fs::path(split_case(path).file).parent_path();
}

std::string find_testbed_file(const std::string& name, const fs::path& folder) {
  if (name.find('/') != std::string::npos || name.ends_with(".json")) {
    const auto path = folder / name;
    return is_file(path) ? path.string() : "";
  }
  const auto file = name + ".json";
  for (const auto& place : {folder, folder / "testbeds", scenarios_folder() / "testbeds"}) {
    if (is_file(place / file)) return (place / file).string();
  }
  return "";
}

std::vector<std::string> json_names_below(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() != ".json" || !is_file(entry->path())) continue;
    check_printable(entry->path().string(), {folder.string(), ""});
    names.push_back(entry->path().lexically_relative(folder).replace_extension().string());
  }
  if (is_exhaustion(error.value())) throw SystemError(fmt::format("{}: {}", folder.string(), error.message()));
  std::sort(names.begin(), names.end());
  return names;
}

JsonValue with_schema(const JsonValue& document, const char* kind, const std::string& file) {
  const auto folder = fs::absolute(file).lexically_normal().parent_path();
  const auto below = folder.lexically_relative(scenarios_folder());
  if (below.empty() || *below.begin() == "..") return document;
  const auto schema = scenarios_folder() / "schema" / (std::string(kind) + ".json");
  auto result = JsonValue::object({{"$schema", schema.lexically_relative(folder).generic_string()}});
  for (const auto& [key, value] : *document.members()) result.set(key, value);
  return result;
}

std::vector<std::string> testbed_names() {
  auto names = json_names_below(scenarios_folder() / "testbeds");
  std::erase_if(names, [](const std::string& name) { return name.starts_with("parts/"); });
  return names;
}

}  // namespace racksim::tools
