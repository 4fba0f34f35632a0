// See places.hpp.
#include "tests/places.hpp"

namespace racksim::places {

std::string source_folder() {
  return RACKSIM_SOURCE_DIR;
}

std::string racksim_program() {
  return RACKSIM_PROGRAM;
}

std::string write_through_program() {
  return RACKSIM_WRITE_THROUGH;
}

std::string examples_program() {
  return RACKSIM_EXAMPLES;
}

}  // namespace racksim::places
