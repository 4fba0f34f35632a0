// What every cache in the switch adds to a server, message by message: fetches, removals, and which writes are refused.
#include "protocols/switch_cache/caching_server.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "protocols/switch_cache/messages.hpp"
#include "tests/protocols/store/server_by_hand.hpp"

namespace caching_server_test {

using namespace racksim;
using namespace racksim::store;
using namespace racksim::store::testing;
using switch_cache::kEviction;
using switch_cache::kEvictionReply;
using switch_cache::kFetchReply;
using switch_cache::kFetchRequest;

namespace {

struct Cache final : switch_cache::CachingServer {
  Cache(Shared& shared, const switch_cache::CacheLocation& location, Partition& partition)
      : CachingServer(shared, location, partition) {}
  void executed_write(const Message&) override { seen += 'W'; }
  void fetched(const Message&) override { seen += 'F'; }
  void evicted(const Message&) override { seen += 'E'; }
  void own_message(const Message&, Address) override { seen += 'o'; }
  void refused(bool has_version) const override { seen += has_version ? '1' : '2'; }
  mutable std::string seen;
};

struct Server : ServerByHand {
  explicit Server(std::uint32_t value_bytes = 64)
      : ServerByHand(value_bytes), location(run.store->shared()), cache(run.store->shared(), location, partition()) {}
  switch_cache::CacheLocation location;
  Cache cache;
};

}  // namespace

TEST_CASE("a fetch is answered with the value and is no load of clients") {
  Server server;
  server.get(Server::message(kFetchRequest));
  CHECK(server.answers(kFetchReply) == 1);
  CHECK(server.partition().served() == 0);
  CHECK(server.cache.seen == "F");
}

TEST_CASE("a removal is acknowledged, and what is neither goes to the scheme") {
  Server server;
  server.get(Server::message(kEviction));
  CHECK(server.answers(kEvictionReply) == 1);
  server.get(Server::message(Op{200}));
  CHECK(server.cache.seen == "Eo");
}

TEST_CASE("a write whose version comes before that of a fetch is refused by rule (i), the next is not") {
  Server server;
  server.get(Server::message(kFetchRequest, 1, 0, 5));
  server.write(1, 44, 4);
  CHECK(server.answers(Op::write_refused) == 1);
  CHECK(server.partition().value_of(kItem) == 0);
  server.write(2, 55, 6);
  CHECK(server.partition().value_of(kItem) == 55);
  CHECK(server.cache.seen == "F1W");
}

TEST_CASE("a write without a version is refused by rule (ii) until the key is removed from the cache") {
  Server server;
  server.get(Server::message(kFetchRequest, 1, 0, 5));
  server.write(1, 44);
  CHECK(server.answers(Op::write_refused) == 1);
  server.get(Server::message(kEviction, 1, 0, 5));
  server.write(1, 44);
  CHECK(server.partition().value_of(kItem) == 44);
  CHECK(server.cache.seen == "F2EW");
}

// Boots of the switch let versions pass, here half of them, so the first packet's version comes after all that the
// switch gives out.
TEST_CASE("a write that came in part before its key was removed has the version of the rest") {
  Server server(2'000);  // two packets
  server.write(1, 44, 5, 0);
  server.get(Server::message(kEviction, 1, 0, 0x4000'0000));
  server.get(Server::message(kEviction, 1, 0, 0x8000'0000));
  server.get(Server::message(kFetchRequest, 1, 0, 0x8000'0007));
  server.write(1, 44, 0x8000'0009, 1);
  CHECK(server.partition().value_of(kItem) == 44);
  server.write(2, 55, 0x8000'000a, 0);
  server.write(2, 55, 0x8000'000a, 1);
  CHECK(server.partition().value_of(kItem) == 55);
  CHECK(server.cache.seen == "EEFWW");
}

}  // namespace caching_server_test
