// The racksim command.
#include <iostream>

#include "tools/command_line.hpp"

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  return racksim::tools::run_command_line(std::move(arguments), racksim::tools::built_in_catalogue(), std::cout,
                                          std::cerr);
}
