// Looks for the module of ns3_module.cpp. See ns3_echo.hpp.
#include "tools/bench/ns3_echo.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "sim/simgrid/module.hpp"

namespace racksim::tools {

Ns3Echo* ns3_echo() {
  const auto file = std::filesystem::path(sim::simgrid_module_file()).parent_path() / "racksim_ns3.so";
  void* const module = dlopen(file.c_str(), RTLD_LAZY);
  return module == nullptr ? nullptr : reinterpret_cast<Ns3Echo*>(dlsym(module, "racksim_ns3_echo"));
}

}  // namespace racksim::tools
