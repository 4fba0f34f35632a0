// Testbeds by their names. A fuzz campaign reads several scenarios a run, all on one testbed, and parsing its files took
// a fifth of a short run: what a testbed was put together from is kept for as long as its files hold the same bytes.
// Children that are forked later have it too.
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tools/files/data_files.hpp"
#include "tools/json/input_error.hpp"
#include "tools/scenario/composition.hpp"
#include "tools/scenario/scenario.hpp"
#include "tools/text/nearest_name.hpp"
#include "tools/text/printable.hpp"

namespace racksim::tools {
namespace {

struct KeptFile {
  std::string path, bytes;
};

std::string bytes_of(const std::string& file) {
  return read_whole(file, JsonLimits::kBytes, "a readable JSON file");
}

/// A pipe can be read once, so that it cannot change.
bool has_changed(const KeptFile& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file.path, error);
  if (!std::filesystem::is_regular_file(status)) return !std::filesystem::exists(status);
  return bytes_of(file.path) != file.bytes;
}

struct KeptTestbed {
  explicit KeptTestbed(const std::string& file) : composition(file) {
    for (const auto& path : composition.files()) {
      std::error_code error;
      const bool rereadable = std::filesystem::is_regular_file(path, error);
      files.push_back({path, rereadable ? bytes_of(path) : ""});
    }
  }

  Composition composition;
  std::vector<KeptFile> files;
};

const Composition& composition_of(const std::string& file) {
  static std::map<std::string, KeptTestbed> kept;
  auto found = kept.find(file);
  if (found != kept.end() && std::any_of(found->second.files.begin(), found->second.files.end(), has_changed)) {
    kept.erase(found);
    found = kept.end();
  }
  if (found == kept.end()) found = kept.emplace(file, file).first;
  return found->second.composition;
}

}  // namespace

Testbed testbed_from_files(const JsonLocation& named, const std::string& name, const Catalogue& catalogue) {
  const auto file = find_testbed_file(name, folder_of(named.file));
  if (file.empty()) {
    const auto names = testbed_names();
    named.refuse(quote(name), "a testbed: " + one_of(names), nearest_name(name, names));
  }
  const Composition& composition = composition_of(file);
  Testbed testbed = composition.read([&](const JsonValue& document, const std::string& path) {
    if (is_testbed_part(document)) {
      named.refuse(
          quote(name) + ", a part of a testbed without \"nodes\"",
          "a testbed that builds on it, or one of those that come with the program: " + one_of(testbed_names()));
    }
    return read_testbed(document, path, catalogue);
  });
  testbed.files = composition.files();
  return testbed;
}

}  // namespace racksim::tools
