#include "models/applications/transactions/two_phase_commit/row_locks.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "sim/random/random.hpp"

namespace row_locks_test {

using namespace racksim;
using app::Row;
using app::two_phase_commit::RowLocks;
using models::LockMode;

TEST_CASE("A row has many sharers or one holder, and nobody waits") {
  RowLocks locks;
  CHECK(locks.try_lock({0, 7}, LockMode::shared, 1));
  CHECK(locks.try_lock({0, 7}, LockMode::shared, 2));
  CHECK_FALSE(locks.try_lock({0, 7}, LockMode::exclusive, 3));
  CHECK(locks.try_lock({0, 8}, LockMode::exclusive, 3));
  CHECK_FALSE(locks.try_lock({0, 8}, LockMode::shared, 1));
  CHECK(locks.try_lock({1, 8}, LockMode::exclusive, 1));  // of another table
  CHECK(locks.size() == 3);
  CHECK(locks.release(3) == 1);
  CHECK(locks.try_lock({0, 8}, LockMode::shared, 1));
}

TEST_CASE("Who shares a row alone may have it exclusively, and keeps it so") {
  RowLocks locks;
  CHECK(locks.try_lock({0, 7}, LockMode::shared, 1));
  CHECK_FALSE(locks.holds({0, 7}, LockMode::exclusive, 1));
  CHECK(locks.try_lock({0, 7}, LockMode::exclusive, 1));
  CHECK(locks.try_lock({0, 7}, LockMode::shared, 1));
  CHECK(locks.holds({0, 7}, LockMode::exclusive, 1));
  CHECK_FALSE(locks.try_lock({0, 7}, LockMode::shared, 2));
  CHECK(locks.release(1) == 1);
  CHECK(locks.try_lock({0, 7}, LockMode::shared, 2));
  CHECK(locks.try_lock({0, 7}, LockMode::shared, 1));
  CHECK_FALSE(locks.try_lock({0, 7}, LockMode::exclusive, 1));
}

TEST_CASE("A release gives back all of an owner's locks and no other's") {
  RowLocks locks;
  for (std::uint64_t key = 0; key < 10; ++key) {
    CHECK(locks.try_lock({0, key}, LockMode::shared, 1));
    CHECK(locks.try_lock({0, key}, LockMode::shared, 2));
  }
  CHECK(locks.release(1) == 10);
  CHECK(locks.release(1) == 0);
  CHECK(locks.size() == 10);
  CHECK(locks.holds({0, 3}, LockMode::shared, 2));
  CHECK_FALSE(locks.holds({0, 3}, LockMode::shared, 1));
  CHECK(locks.release(2) == 10);
  CHECK(locks.size() == 0);
}

namespace {

/// All grants in a list, searched from one end to the other.
struct List {
  struct Grant {
    Row row;
    RowLocks::Owner owner;
    bool exclusive;
  };
  bool try_lock(Row row, LockMode mode, RowLocks::Owner owner) {
    Grant* mine = nullptr;
    for (Grant& grant : grants) {
      if (grant.row != row) continue;
      if (grant.owner == owner) {
        mine = &grant;
      } else if (grant.exclusive || mode == LockMode::exclusive) {
        return false;
      }
    }
    if (mine == nullptr) {
      grants.push_back({row, owner, mode == LockMode::exclusive});
    } else {
      mine->exclusive |= mode == LockMode::exclusive;
    }
    return true;
  }
  std::size_t release(RowLocks::Owner owner) {
    return static_cast<std::size_t>(std::erase_if(grants, [&](const Grant& grant) { return grant.owner == owner; }));
  }
  std::vector<Grant> grants;
};

}  // namespace

TEST_CASE("Random tries and releases go as with a list of all grants") {
  RowLocks locks;
  List list;
  sim::RandomStream random(1, "locks");
  int granted = 0, refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    const RowLocks::Owner owner = 1 + random.below(6);
    if (random.chance(0.1)) {
      REQUIRE(locks.release(owner) == list.release(owner));
      continue;
    }
    const Row row{static_cast<std::uint32_t>(random.below(2)), random.below(8)};
    const LockMode mode = random.chance(0.3) ? LockMode::exclusive : LockMode::shared;
    const bool expected = list.try_lock(row, mode, owner);
    REQUIRE(locks.try_lock(row, mode, owner) == expected);
    ++(expected ? granted : refused);
  }
  CHECK(granted > 2000);
  CHECK(refused > 2000);
}

TEST_CASE("A key that does not fit beside its table's number is refused") {
  RowLocks locks;
  CHECK_THROWS_AS(locks.try_lock({0, std::uint64_t{1} << 56}, LockMode::shared, 1), std::logic_error);
  CHECK_THROWS_AS(locks.try_lock({256, 0}, LockMode::shared, 1), std::logic_error);
}

}  // namespace row_locks_test
