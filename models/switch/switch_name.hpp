// Which switch of the rack it is.
#pragma once

#include <string>

namespace racksim::models {

/// Its parts have this name in the event log, in traces and in metrics. A rack with one switch calls it "switch".
struct SwitchName {
  std::string text = "switch";
  unsigned number = 0;  ///< in the rack
};

}  // namespace racksim::models
