// The racksim command.
#include <unistd.h>

#include <iostream>
#include <ostream>

#include "tools/commands/command_line.hpp"
#include "tools/commands/standard_output.hpp"
#include "tools/processes/interruption.hpp"

int main(int argc, char** argv) {
  using namespace racksim::tools;
  occupy_standard_descriptors();
  catch_interruptions();
  DescriptorBuffer buffer(STDOUT_FILENO);
  std::ostream out(&buffer);
  const int status = run_command_line({argv + 1, argv + argc}, out, std::cerr);
  return finish_output(buffer, status, std::cerr);
}
