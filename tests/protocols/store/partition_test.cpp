// A storage server, message by message: what takes effect, what is answered, what an extension is told (StarCache §3.3,
// §3.9, §4).
#include "protocols/store/partition.hpp"

#include <catch2/catch.hpp>

#include "models/switch/switch_chassis.hpp"
#include "protocols/switch_cache/messages.hpp"
#include "tests/protocols/store/server_by_hand.hpp"

namespace store_partition_test {

using namespace racksim;
using namespace racksim::store;
using namespace racksim::store::testing;

namespace {

struct Extension final : PartitionExtension {
  void requested(const Message& m) override { seen += m.store.operation() == Op::write_request ? 'w' : 'r'; }
  bool admits_write(const Message& m) override {
    versions.push_back(m.safety.version);
    return admits;
  }
  std::int64_t place_of(KeyHash, Version version) const override {
    return static_cast<std::int64_t>(std::uint64_t{version}) + cycles * 15;
  }
  void written(const Message&) override { seen += 'W'; }
  void other(const Message&, Address from) override {
    seen += 'o';
    other_from = from;
  }
  std::string seen;
  std::vector<std::uint64_t> versions;
  bool admits = true;
  std::int64_t cycles = 0;  // that versions of four bits have gone round
  Address other_from;
};

struct Server : ServerByHand {
  explicit Server(std::uint32_t value_bytes = 64, bool exactly_once = true) : ServerByHand(value_bytes, exactly_once) {
    partition().extend(extension);
  }
  Extension extension;
};

}  // namespace

TEST_CASE("a read is answered with the value that the server has, as is a correction request") {
  Server server;
  server.write(1, 55);
  server.get(Server::message(Op::read_request, 2));
  server.get(Server::message(Op::correction_request, 3));
  CHECK(server.partition().value_of(kItem) == 55);
  CHECK(server.answers(Op::write_reply) == 1);
  CHECK(server.answers(Op::read_reply) == 2);
  CHECK(server.partition().served() == 3);
  CHECK(server.extension.seen == "wWrr");
}

TEST_CASE("a write that comes again is answered again, does not take effect again and asks for no admission") {
  Server server;
  server.write(1, 55);
  server.write(2, 66);
  server.extension.admits = false;
  server.write(1, 55);
  CHECK(server.partition().value_of(kItem) == 66);
  CHECK(server.answers(Op::write_reply) == 3);
  CHECK(server.extension.seen == "wWwWW");
  CHECK(server.run.counter("store.duplicate_writes") == 1);
}

TEST_CASE("a write that its client has given up neither takes effect nor is answered") {
  Server server;
  server.write(1, 55);
  Server::oldest = 5;
  server.write(5, 66);
  Server::oldest = 1;
  server.write(4, 77);
  CHECK(server.partition().value_of(kItem) == 66);
  CHECK(server.answers(Op::write_reply) == 2);
}

TEST_CASE("a write that is refused changes nothing, is told so, and may be admitted later") {
  Server server;
  server.extension.admits = false;
  server.write(1, 55);
  CHECK(server.partition().value_of(kItem) == 0);
  CHECK(server.answers(Op::write_refused) == 1);
  CHECK(server.answers(Op::write_reply) == 0);
  server.extension.admits = true;
  server.write(1, 55);
  CHECK(server.partition().value_of(kItem) == 55);
  CHECK(server.answers(Op::write_reply) == 1);
}

TEST_CASE("without completion records every copy of a write takes effect") {
  Server server(64, false);
  server.write(1, 55);
  server.write(2, 66);
  server.write(1, 55);
  CHECK(server.partition().value_of(kItem) == 55);
}

TEST_CASE("a write of three packets takes effect with the last to come, whatever the order and however many copies") {
  Server server(3000);
  for (const unsigned fragment : {2u, 2u, 0u, 2u, 0u}) server.write(1, 55, 3, fragment);
  CHECK(server.partition().value_of(kItem) == 0);
  CHECK(server.extension.seen.empty());
  server.write(1, 55, 3, 1);
  CHECK(server.partition().value_of(kItem) == 55);
  CHECK(server.extension.seen == "wW");
  CHECK(server.answers(Op::write_reply) == 1);  // without the value
}

TEST_CASE(
    "a write of three packets has the largest of their versions, and none if one passed before the key was cached") {
  Server server(3000);
  for (const unsigned fragment : {0u, 1u, 2u}) server.write(1, 55, 3 + 2 * (fragment % 2), fragment, 1);
  for (const unsigned fragment : {0u, 1u, 2u}) server.write(2, 66, fragment == 0 ? 0 : 9, fragment, fragment > 0);
  CHECK(server.extension.versions == std::vector<std::uint64_t>{5, 0});
  CHECK(server.answers(Op::write_reply) == 6);  // one of its packets asked for the value
}

TEST_CASE("a write of which a packet is kept while versions go round has the version of one that came since, or none") {
  Server server(3000);
  server.write(1, 55, 14, 0);
  server.write(2, 66, 14, 0);
  server.extension.cycles = 1;
  for (const unsigned fragment : {1u, 2u}) server.write(1, 55, 3, fragment);  // 18 in all, after 14
  CHECK(server.extension.versions == std::vector<std::uint64_t>{3});
  // All that came of the other is from before: what it said then is no version of now.
  server.extension.cycles = 0;
  server.write(2, 66, 13, 1);
  server.extension.cycles = 1;
  server.write(2, 66, 0, 2);
  CHECK(server.extension.versions.back() == 0);
  server.write(3, 77, 14, 0);
  server.extension.cycles = 2;
  server.write(3, 77, 14, 1);
  server.write(3, 77, 13, 2);
  CHECK(server.extension.versions.back() == 14);
}

TEST_CASE("packets of writes that their client has given up are forgotten") {
  Server server(3000);
  server.write(1, 55, 0, 0);
  server.write(1, 55, 0, 1);
  Server::oldest = 2;
  server.write(2, 66, 0, 0);
  Server::oldest = 1;
  server.write(1, 55, 0, 2);
  CHECK(server.partition().value_of(kItem) == 0);
  CHECK(server.answers(Op::write_reply) == 0);
}

TEST_CASE("of the writes that are half received those before the oldest are forgotten, also where numbers wrap") {
  for (const std::uint32_t base : {100u, 0xffff'fffeu, 0x7fff'fffeu}) {
    INFO("from " << base);
    Server server(3000);
    Server::oldest = base;
    for (std::uint32_t n = 0; n < 6; ++n) server.write(base + n, 55, 0, 0);
    CHECK(server.partition().half_received() == 6);
    Server::oldest = base + 4;
    server.write(base + 5, 55, 0, 1);
    CHECK(server.partition().half_received() == 2);
    for (const unsigned fragment : {1u, 2u}) server.write(base + 4, 55, 0, fragment);
    CHECK(server.partition().value_of(kItem) == 55);
    CHECK(server.partition().half_received() == 1);
    Server::oldest = 1;
  }
}

TEST_CASE("a crash forgets what is half received, and neither items nor completed writes") {
  Server server(3000);
  for (const unsigned fragment : {0u, 1u, 2u}) server.write(1, 55, 0, fragment);
  server.write(2, 66, 0, 0);
  server.write(2, 66, 0, 1);
  server.partition().crash();
  server.write(2, 66, 0, 2);
  CHECK(server.partition().value_of(kItem) == 55);
  for (const unsigned fragment : {0u, 1u, 2u}) server.write(1, 77, 0, fragment);
  CHECK(server.partition().value_of(kItem) == 55);
  CHECK(server.run.counter("store.duplicate_writes") == 3);
}

TEST_CASE("a write whose flag is set is answered with the value, one whose flag is not without") {
  struct Answers final : models::PassObserver {
    void before_ingress(const p4::Packet& packet, const p4::IngressMetadata&) override {
      values.push_back(packet.content.as<PartOfItem>().value);
      bytes.push_back(packet.payload_bytes);
    }
    void after_ingress(const p4::Packet&, const p4::IngressMetadata&, const p4::Verdict&) override {}
    std::vector<std::uint64_t> values, bytes;
  } answers;
  Server server;
  server.run.rack.chassis().add_pass_observer(answers);
  server.write(1, 55, 0, 0, 1);
  server.write(2, 66, 0, 0, 0);
  CHECK(answers.values == std::vector<std::uint64_t>{55, 0});
  CHECK(answers.bytes == std::vector<std::uint64_t>{16 + 64, 16});
}

TEST_CASE("what the application does not know goes to the extension") {
  Server server;
  server.get(Server::message(switch_cache::kEviction));
  CHECK(server.extension.seen == "o");
  CHECK(server.extension.other_from == Address{kAlice.node, kFirstPort});
}

TEST_CASE("the digest follows items and not the way to them") {
  Server one, other;
  one.write(1, 55);
  other.write(1, 44);
  CHECK(one.partition().digest() != other.partition().digest());
  other.write(2, 55);
  CHECK(one.partition().digest() == other.partition().digest());
}

}  // namespace store_partition_test
