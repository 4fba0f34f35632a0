#include "models/service/operation_set.hpp"

#include <catch2/catch.hpp>

namespace operation_set_test {

using namespace racksim::models;
using Kind = racksim::sim::OperationKind;

TEST_CASE("A set of operations names its members as a person would") {
  CHECK(OperationSet().names() == "nothing");
  CHECK(OperationSet{Kind::free}.names() == "free");
  CHECK(OperationSet{Kind::unlock, Kind::read}.names() == "read and unlock");
  CHECK(OperationSet{Kind::write, Kind::read, Kind::fence}.names() == "read, write and fence");
  CHECK(kAtomics.names() == "compare-and-swap and fetch-and-add");
  CHECK(kLocks.names() == "lock, shared lock, try-lock, shared try-lock and unlock");
}

TEST_CASE("Sets of operations are joined and subtracted") {
  const OperationSet all = kLocks.with(kAtomics);
  CHECK(all.has(Kind::lock));
  CHECK(all.has(Kind::fetch_and_add));
  CHECK_FALSE(all.has(Kind::read));
  CHECK(all.without(kAtomics) == kLocks);
  CHECK(kLocks.without(all).empty());
  CHECK(kLocks.with(kLocks) == kLocks);
  CHECK_FALSE(kLocks == kAtomics);
}

}  // namespace operation_set_test
