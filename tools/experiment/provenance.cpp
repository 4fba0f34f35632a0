// What this program was built from and with. See provenance.hpp.
#include "tools/experiment/provenance.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <set>

#include "tools/experiment/commit.hpp"
#include "tools/files/sha256.hpp"

namespace racksim::tools {
namespace {

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return "unknown";
#endif
}

}  // namespace

Provenance provenance() {
  return {RACKSIM_VERSION, kCommit, kTreeModified, compiler(), RACKSIM_BUILD_TYPE};
}

JsonValue provenance_json(const Provenance& provenance) {
  return JsonValue::object({{"version", provenance.version},
                            {"commit", provenance.commit.empty() ? JsonValue() : JsonValue(provenance.commit)},
                            {"modified", provenance.modified},
                            {"compiler", provenance.compiler},
                            {"build_type", provenance.build_type}});
}

JsonValue inputs_json(const std::vector<std::string>& files) {
  JsonValue inputs = JsonValue::array();
  std::set<std::string> listed;
  for (const std::string& file : files) {
    if (!listed.insert(file).second) continue;
    std::error_code error;
    const bool rereadable = std::filesystem::is_regular_file(file, error);
    inputs.push(
        JsonValue::object({{"file", file}, {"sha256", rereadable ? JsonValue(sha256_of_file(file)) : JsonValue()}}));
  }
  return inputs;
}

std::string provenance_text(const Provenance& provenance) {
  const auto commit = provenance.commit.empty()
                          ? std::string("commit unknown")
                          : fmt::format("commit {}{}", provenance.commit, provenance.modified ? ", with changes" : "");
  return fmt::format("racksim {} ({}; {}, {})", provenance.version, commit, provenance.compiler, provenance.build_type);
}

}  // namespace racksim::tools
