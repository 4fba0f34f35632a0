// The module with all that sees SimGrid, which is loaded on demand.
#pragma once

#include <stdexcept>
#include <string>

namespace racksim::sim {

/// Thrown where the module is missing or cannot be loaded: nothing can run then.
class ModuleMissing : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Where the module is: `racksim_simgrid.so` beside the program, in ../lib/racksim from there, or where the build left it.
/// Throws ModuleMissing.
std::string simgrid_module_file();

/// Loads the module, unless it is loaded. Whoever forks runs calls it before, so that not every child has to. Throws ModuleMissing.
void load_simgrid();

namespace detail {
void* simgrid_symbol(const char* name);
}

/// A function of the module, which is loaded if need be. Throws ModuleMissing.
template <class Function>
Function* simgrid_function(const char* name) {
  return reinterpret_cast<Function*>(detail::simgrid_symbol(name));
}

}  // namespace racksim::sim
