// Serial numbers of few bits against the counts that they stand for (RFC 1982, without 0).
#include "protocols/store/version.hpp"

#include <catch2/catch.hpp>

namespace version_test {

using namespace racksim::store;

TEST_CASE("versions count from 1 to the largest and begin again, and 0 is none of them") {
  const unsigned bits = GENERATE(2u, 4u, 32u);
  const Versions versions(bits);
  CHECK(versions.largest() == (std::uint64_t{1} << bits) - 1);
  CHECK(versions.ahead(0, 1) == 1);
  CHECK(versions.ahead(1, 1) == 2);
  CHECK(versions.ahead(Version{versions.largest()}, 1) == 1);
  CHECK(versions.ahead(Version{versions.largest() - 1}, 3) == 2);
}

TEST_CASE("of two versions the one that was given out later is known while fewer than half of all lie between them") {
  const Versions versions(4);
  for (std::uint64_t count = 1; count <= 100; ++count) {
    const Version version = versions.ahead(0, count);
    CHECK(versions.after(version, 0));
    CHECK_FALSE(versions.after(0, version));
    CHECK_FALSE(versions.after(version, version));
    for (std::uint64_t later = count + 1; later <= count + 7; ++later) {
      const Version newer = versions.ahead(0, later);
      CHECK(versions.after(newer, version));
      CHECK_FALSE(versions.after(version, newer));
      CHECK(versions.latest(newer, version) == newer);
      CHECK(versions.latest(version, newer) == newer);
    }
    // One more, and the older looks newer: the bound that version.hpp names.
    CHECK(versions.after(version, versions.ahead(0, count + 8)));
  }
}

TEST_CASE("wide versions outlast more than a hundred boots, narrow ones two") {
  for (const unsigned bits : {32U, 10U}) {
    const Versions versions(bits);
    unsigned boots = 0;
    Version version = versions.ahead(0, 1);
    while (versions.after(versions.ahead(version, versions.leap()), 1))
      version = versions.ahead(version, versions.leap()), ++boots;
    CHECK(boots == (bits == 32 ? 127 : 2));
    CHECK(versions.leap() >= (bits == 32 ? 1U << 24 : versions.largest() / 4));
  }
}

TEST_CASE("compared as they are, versions are in the wrong order once they have wrapped") {
  const Versions versions(4, false);
  CHECK(versions.after(15, 14));
  CHECK_FALSE(versions.after(1, 15));
  CHECK(Versions(4).after(1, 15));
}

}  // namespace version_test
