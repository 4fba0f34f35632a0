// Work in child processes until enough of it is done.
#include "tools/seeds/ordered_work.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace ordered_work_test {

using namespace racksim::tools;

namespace {

std::vector<std::string> texts_of(const std::vector<ChildResult>& results) {
  std::vector<std::string> texts;
  for (const ChildResult& result : results) texts.push_back(result.text);
  return texts;
}

}  // namespace

TEST_CASE("results come in the order of their numbers, whatever ends first") {
  const unsigned jobs = GENERATE(1U, 4U);
  OrderedWork ordered{.least = 4, .most = 4, .work = {}};
  ordered.work = [](std::size_t number) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20 * (4 - number)));
    return std::to_string(number);
  };
  CHECK(texts_of(run_in_order(ordered, jobs)) == std::vector<std::string>{"0", "1", "2", "3"});
}

TEST_CASE("as much is done as is enough, however much runs at a time") {
  const unsigned jobs = GENERATE(1U, 2U, 8U);
  OrderedWork ordered{.least = 3, .most = 20, .work = {}};
  ordered.work = [](std::size_t number) { return std::to_string(number); };
  std::vector<std::size_t> asked;
  ordered.enough = [&](const std::vector<ChildResult>& first) {
    asked.push_back(first.size());
    return first.back().text >= "5";
  };
  CHECK(texts_of(run_in_order(ordered, jobs)) == std::vector<std::string>{"0", "1", "2", "3", "4", "5"});
  CHECK(asked == std::vector<std::size_t>{3, 4, 5, 6});
}

TEST_CASE("what is never enough ends with the most, of which nobody is asked") {
  OrderedWork ordered{.least = 2, .most = 4, .work = {}};
  ordered.work = [](std::size_t) { return std::string("again"); };
  std::size_t asked = 0;
  ordered.enough = [&](const std::vector<ChildResult>&) {
    ++asked;
    return false;
  };
  CHECK(run_in_order(ordered, 2).size() == 4);
  CHECK(asked == 2);
}

TEST_CASE("work that throws or dies takes no other with it") {
  OrderedWork ordered{.least = 3, .most = 3, .work = {}};
  ordered.work = [](std::size_t number) -> std::string {
    if (number == 0) throw std::runtime_error("a reason");
    if (number == 1) _exit(9);
    return "well";
  };
  const auto results = run_in_order(ordered, 2);
  REQUIRE(results.size() == 3);
  CHECK(results[0].text == "a reason");
  CHECK_FALSE(results[0].answered());
  CHECK_FALSE(results[1].answered());
  CHECK(results[2].text == "well");
}

}  // namespace ordered_work_test
