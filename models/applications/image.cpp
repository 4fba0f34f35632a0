// Bytes of slots at rest. See image.hpp.
#include "models/applications/image.hpp"

#include <algorithm>

namespace racksim::app {

void read_at_rest(const models::MemoryService& memory, const MemoryAtRest& at_rest, models::GlobalAddress address,
                  std::span<std::byte> into) {
  const std::uint64_t object_bytes = memory.shape().object_bytes;
  while (!into.empty()) {
    const sim::Key object = memory.object_of(address);
    const std::size_t inside = address.value % object_bytes;
    const std::size_t here = std::min<std::size_t>(into.size(), object_bytes - inside);
    const auto value = at_rest.values().find(object);
    memory.copy_contents(object, value == at_rest.values().end() ? sim::kNeverWritten : value->second, inside,
                         into.first(here));
    into = into.subspan(here);
    address.value += here;
  }
}

void Image::read(Slot slot, std::size_t offset, std::span<std::byte> into) const {
  read_at_rest(memory_, at_rest_, {regions_.address(slot).value + offset}, into);
}

}  // namespace racksim::app
