// Bytes at rest. See memory_image.hpp.
#include "models/service/memory_image.hpp"

#include <algorithm>

namespace racksim::models {

void MemoryImage::read(GlobalAddress address, std::span<std::byte> into) const {
  const std::uint64_t object_bytes = memory_.shape().object_bytes;
  while (!into.empty()) {
    const sim::Key object = memory_.object_of(address);
    const std::size_t inside = address.value % object_bytes;
    const std::size_t here = std::min<std::size_t>(into.size(), object_bytes - inside);
    const auto value = values_.find(object);
    memory_.copy_contents(object, value == values_.end() ? sim::kNeverWritten : value->second, inside,
                          into.first(here));
    into = into.subspan(here);
    address.value += here;
  }
}

}  // namespace racksim::models
