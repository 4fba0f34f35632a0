// What an application finds about memory at rest: each fact that must hold, and those that do not.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace racksim::app {

class Judge {
 public:
  /// A number that must be this one; `name` is what it is of: "money".
  template <class Found, class Expected>
  void equal(std::string_view name, const Found& found, const Expected& expected) {
    that(found == static_cast<Found>(expected), name, fmt::format("{}, expected {}", found, expected));
  }
  /// Something that must hold; `what` says what was found, and what should be.
  void that(bool holds, std::string_view name, std::string_view what) {
    ++judged_;
    if (!holds) wrong_.push_back(fmt::format("{}: {}", name, what));
  }

  std::uint64_t judged() const { return judged_; }
  const std::vector<std::string>& wrong() const { return wrong_; }

 private:
  std::uint64_t judged_ = 0;
  std::vector<std::string> wrong_;
};

}  // namespace racksim::app
