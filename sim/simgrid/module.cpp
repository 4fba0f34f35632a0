// Loading the module. See module.hpp.
#include "sim/simgrid/module.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace racksim::sim {

namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "racksim_simgrid.so";

void* load() {
  const std::string file = simgrid_module_file();
  void* const module = dlopen(file.c_str(), RTLD_LAZY);
  if (module == nullptr) throw ModuleMissing(fmt::format("nothing can run without {}: {}", kFile, dlerror()));
  return module;
}

void* loaded() {
  static void* const module = load();
  return module;
}

}  // namespace

// By its whole path: sanitizers stand between the program and dlopen, which then does not see the program's RUNPATH.
std::string simgrid_module_file() {
  std::error_code error;
  const fs::path beside = fs::read_symlink("/proc/self/exe", error).parent_path();
  const fs::path installed = (beside / "../lib/racksim").lexically_normal(), built = RACKSIM_MODULE_FOLDER;
  for (const fs::path& folder : {beside, installed, built}) {
    if (fs::exists(folder / kFile, error)) return (folder / kFile).string();
  }
  throw ModuleMissing(fmt::format("nothing can run without {}, which is not in {}, {} or {}", kFile, beside.string(),
                                  installed.string(), built.string()));
}

void load_simgrid() {
  loaded();
}

void* detail::simgrid_symbol(const char* name) {
  void* const symbol = dlsym(loaded(), name);
  if (symbol == nullptr) throw ModuleMissing(fmt::format("{} is of another build: {}", kFile, dlerror()));
  return symbol;
}

}  // namespace racksim::sim
