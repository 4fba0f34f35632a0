#include "models/service/value_contents.hpp"

#include <algorithm>

namespace racksim::models {

void ValueContents::compose(sim::Value value, sim::Value before, std::size_t offset, std::span<const std::byte> bytes) {
  std::vector<std::byte> content(object_bytes_);
  copy(before, 0, content);
  std::copy(bytes.begin(), bytes.end(), content.begin() + static_cast<std::ptrdiff_t>(offset));
  contents_[value] = std::move(content);
}

void ValueContents::copy(sim::Value value, std::size_t offset, std::span<std::byte> into) const {
  const auto known = contents_.find(value);
  for (std::size_t i = 0; i < into.size(); ++i) {
    const std::size_t place = offset + i;
    if (known != contents_.end()) {
      into[i] = known->second[place];
    } else {
      into[i] = place < sizeof value ? static_cast<std::byte>(value >> 8 * place) : std::byte{};
    }
  }
}

}  // namespace racksim::models
