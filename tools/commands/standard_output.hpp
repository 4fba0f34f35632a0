// Standard output of which nothing is lost in silence: whether all of it has arrived is known at the end.
#pragma once

#include <array>
#include <iosfwd>
#include <streambuf>

namespace racksim::tools {

/// Puts something that cannot be written in the place of standard descriptors that the program was started without, so
/// that no file that it opens gets their numbers and what is meant for standard output.
void occupy_standard_descriptors();

/// Writes to a descriptor, waiting where it takes no more for now, and remembers the first error.
class DescriptorBuffer final : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor);

  /// The errno of the first write that failed; 0 if none did.
  int error() const { return error_; }

 protected:
  int_type overflow(int_type character) override;
  int sync() override;

 private:
  int descriptor_;
  int error_ = 0;
  std::array<char, 65536> buffer_;
};

/// Writes what is left in the buffer. Says on `err` if not all of the output has arrived, and gives the status with
/// which the program then ends: 3 instead of one that says that all is there, else `status` as it is.
int finish_output(DescriptorBuffer& buffer, int status, std::ostream& err);

}  // namespace racksim::tools
