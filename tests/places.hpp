// Where the source tree and the program under test are. One source file alone is told (places.cpp), so that all others
// compile alike in every check-out.
#pragma once

#include <string>

namespace racksim::places {

/// The root of the source tree, without a slash at its end.
std::string source_folder();

/// The racksim that was built with the tests.
std::string racksim_program();
/// The one with tests/write_through in it.
std::string write_through_program();
/// The one with docs/examples in it.
std::string examples_program();

}  // namespace racksim::places
