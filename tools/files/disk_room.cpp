// See disk_room.hpp.
#include "tools/files/disk_room.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <system_error>

#include "tools/files/write_file.hpp"

namespace racksim::tools {

std::uint64_t room_to_leave(std::uint64_t capacity) {
  return std::min(capacity / 20, std::uint64_t{1} << 30);
}

DiskRoom::DiskRoom(const std::filesystem::path& file, std::string advice)
    : DiskRoom(file.string(), std::move(advice), [file] {
        std::error_code error;
        return std::filesystem::space(std::filesystem::absolute(file).parent_path(), error);
      }) {}

void DiskRoom::full(const std::string& at) const {
  throw OutputError(fmt::format("{} could not be written: the disk is full at {}", file_, at));
}

void DiskRoom::look(const std::string& at) const {
  const auto space = space_();
  const auto unknown = static_cast<std::uintmax_t>(-1);
  if (space.capacity == unknown || space.available >= room_to_leave(space.capacity)) return;
  throw OutputError(fmt::format("{} would fill its disk: {} of {} MiB are free at {}, {} are left to others; {}", file_,
                                space.available >> 20, space.capacity >> 20, at, room_to_leave(space.capacity) >> 20,
                                advice_));
}

}  // namespace racksim::tools
