// See unflushed_writes.hpp.
#include "protocols/selcc/unflushed_writes.hpp"

#include <algorithm>

namespace racksim::selcc {

void UnflushedWrites::flushed(sim::Key line, sim::Key object, sim::Value value) {
  const auto found = lines_.find(line);
  if (found == lines_.end()) return;
  const auto values = found->second.find(object);
  if (values == found->second.end()) return;
  const auto newest = std::find(values->second.begin(), values->second.end(), value);
  if (newest == values->second.end()) return;  // what memory had before, written once more
  values->second.erase(values->second.begin(), newest + 1);
  if (values->second.empty()) found->second.erase(values);
  if (found->second.empty()) lines_.erase(found);
}

}  // namespace racksim::selcc
