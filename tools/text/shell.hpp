// Commands that are printed for people to repeat: what a shell makes of one is what was meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace racksim::tools {

/// `racksim COMMAND FILE OPTIONS... --set OVERRIDE...`, each word as a POSIX shell reads it back, whatever is in it. A
/// file's name that begins with "-" is no option.
std::string racksim_command(std::string_view command, std::string_view file,
                            const std::vector<std::string>& options = {},
                            const std::vector<std::string>& overrides = {});

}  // namespace racksim::tools
