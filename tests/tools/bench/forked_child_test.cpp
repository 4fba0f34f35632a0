#include "tools/bench/forked_child.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>
#include <vector>

using namespace racksim::tools;

TEST_CASE("a child answers each request with what its work came to") {
  ForkedChild child([](const ForkedChild::NextRequest& next) {
    double value = 0;
    while (next(value)) value += 1.5;
  });
  CHECK(child.ask() == 1.5);
  CHECK(child.ask() == 3.0);
  CHECK(child.finish() > 0);
}

TEST_CASE("what goes wrong in a child is told to who asks") {
  ForkedChild child([](const ForkedChild::NextRequest& next) {
    next(0);
    throw std::runtime_error("no luck");
  });
  CHECK_THROWS_WITH(child.ask(), "no luck");
}

TEST_CASE("a child that ends without an answer is noticed") {
  ForkedChild child([](const ForkedChild::NextRequest& next) { next(0); });
  CHECK_THROWS_WITH(child.ask(), "the measuring process has died");
}

TEST_CASE("a child's peak of memory counts what it had and gave back") {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  ForkedChild child([](const ForkedChild::NextRequest& next) {
    next(0);
    {
      std::vector<char> big(kBytes);
      volatile char* touched = big.data();  // volatile: a compiler may drop an allocation whose use it can foresee
      for (std::size_t i = 0; i < kBytes; i += 4096) touched[i] = 'x';
    }
    next(1);
  });
  CHECK(child.ask() == 1);
  CHECK(child.finish() >= kBytes);
}
