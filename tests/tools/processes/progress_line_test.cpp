#include "tools/processes/progress_line.hpp"

#include <pty.h>

#include <catch2/catch.hpp>
#include <sstream>
#include <string>

namespace progress_line_test {

using namespace racksim::tools;

namespace {

/// Makes standard error a terminal while it lives.
class Terminal {
 public:
  Terminal() : saved_(dup(STDERR_FILENO)) {
    REQUIRE(openpty(&master_, &slave_, nullptr, nullptr, nullptr) == 0);
    dup2(slave_, STDERR_FILENO);
  }
  ~Terminal() {
    dup2(saved_, STDERR_FILENO);
    for (const int file : {saved_, master_, slave_}) close(file);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

 private:
  int saved_, master_ = -1, slave_ = -1;
};

/// What a line leaves behind that is shown twice, the second time at once.
std::string written(bool wanted, std::chrono::milliseconds patience = {}) {
  std::ostringstream err;
  {
    ProgressLine line(err, wanted, patience);
    for (const char* text : {"half", "most"}) line.show([&](double) { return text; });
  }
  return err.str();
}

}  // namespace

TEST_CASE("a progress line is written on a terminal, not too often, and wiped at the end") {
  const Terminal terminal;
  CHECK(written(true) == "\r\033[Khalf\r\033[K");
}

TEST_CASE("there is no progress line before patience is over, and none that nobody wants") {
  const Terminal terminal;
  CHECK(written(true, std::chrono::hours(1)).empty());
  CHECK(written(false).empty());
}

}  // namespace progress_line_test
