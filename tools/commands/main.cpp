// The racksim command.
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <ostream>

#include "tools/commands/command_line.hpp"
#include "tools/commands/standard_output.hpp"
#include "tools/files/write_file.hpp"
#include "tools/processes/interruption.hpp"
#include "tools/text/system_error.hpp"

int main(int argc, char** argv) {
  using namespace racksim::tools;
  occupy_standard_descriptors();
  // A file that grows beyond its limit is then an error like a full disk, and no death.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    catch_interruptions(remove_drafts);
  } catch (const SystemError& error) {
    std::cerr << "racksim: " << error.what() << '\n';
    return exit_internal_error;
  }
  DescriptorBuffer buffer(STDOUT_FILENO);
  std::ostream out(&buffer);
  const int status = run_command_line({argv + 1, argv + argc}, out, std::cerr);
  return finish_output(buffer, status, std::cerr);
}
