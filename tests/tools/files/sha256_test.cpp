// SHA-256 against the vectors of FIPS 180-4 and lengths around the ends of blocks.
#include "tools/files/sha256.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "tests/tools/temporary_folder.hpp"

namespace sha256_test {

using racksim::tools::sha256;

TEST_CASE("SHA-256 gives what the standard and sha256sum give") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256(std::string(1'000'000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  CHECK(sha256(std::string(55, 'x')) == "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072");
  CHECK(sha256(std::string(56, 'x')) == "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e");
  CHECK(sha256(std::string(63, 'x')) == "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2");
  CHECK(sha256(std::string(64, 'x')) == "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c");
  CHECK(sha256(std::string(65, 'x')) == "9537c5fdf120482f7d58d25e9ed583f52c02b4e304ea814db1633ad565aed7e9");
  CHECK(sha256(std::string(119, 'x')) == "000b48d4edf0fa7bee3c6236ecd2785baa5db4eeb8bb54341b029e0d9fa5fb0c");
  CHECK(sha256(std::string(120, 'x')) == "13f05a0b594787f5ecd315edc96141bd3243203d1b7d4f0836f37308b276ba98");
  CHECK(sha256(std::string("\0\xff\x80", 3)) == "f742b965f156c10374bc23aea96e3a8aff8facd6fc079defeaa30219ad86f211");
}

TEST_CASE("A file's is that of its bytes, however many pieces they are read in") {
  const racksim::tools::testing::TemporaryFolder folder;
  for (const std::size_t bytes : {0UL, 1UL, 64UL, 65'535UL, 65'536UL, 65'537UL, 200'000UL}) {
    std::string text(bytes, 'x');
    for (std::size_t i = 0; i < bytes; i += 7) text[i] = static_cast<char>(i % 251);
    CHECK(racksim::tools::sha256_of_file(folder.write("file", text)) == sha256(text));
  }
  CHECK(racksim::tools::sha256_of_file((folder.path() / "none").string()).empty());
}

}  // namespace sha256_test
