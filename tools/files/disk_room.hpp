// Room on a disk for others: what is written while a run lasts has a line for each of millions of events.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace racksim::tools {

/// How many bytes are left free on a disk of so many: a gibibyte, or a twentieth of a smaller disk.
std::uint64_t room_to_leave(std::uint64_t capacity);

/// Looks now and then how much room is left beside a file that grows.
class DiskRoom {
 public:
  using Space = std::function<std::filesystem::space_info()>;
  static constexpr std::uint64_t kPieces = 512;  ///< between two looks

  /// `file` is named by errors, which say `advice` too: what makes it smaller. `space` tells of its disk.
  DiskRoom(std::string file, std::string advice, Space space)
      : file_(std::move(file)), advice_(std::move(advice)), space_(std::move(space)) {}
  /// Of the disk that the file lies on.
  DiskRoom(const std::filesystem::path& file, std::string advice);

  /// A piece has been written. Throws OutputError when there is too little room, or if it was `lost`, as on a disk that
  /// others have filled. `at` completes "at ...", the instant of the run.
  template <class At>
  void written(bool lost, const At& at) {
    if (lost) full(at());
    if (++pieces_ % kPieces == 0) look(at());
  }

 private:
  [[noreturn]] void full(const std::string& at) const;
  void look(const std::string& at) const;

  std::string file_, advice_;
  Space space_;
  std::uint64_t pieces_ = 0;
};

}  // namespace racksim::tools
