#include "tools/text/printable.hpp"

#include <catch2/catch.hpp>

namespace printable_test {

using namespace racksim::tools;

constexpr auto kAll = std::string_view::npos;

TEST_CASE("printable text is UTF-8 without anything that a terminal obeys") {
  for (const char* text : {"", "plain ASCII ~", "\xc3\xa4\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xc2\xa0"}) {
    CAPTURE(text);
    CHECK(first_unprintable(text) == kAll);
    CHECK(printable(text) == text);
  }
  // Control characters of ASCII and of ISO 6429, separators of lines, marks of direction.
  for (const char* text :
       {"ab\n", "ab\x1b[31m", "ab\x7f", "ab\xc2\x9b", "ab\xe2\x80\xa8", "ab\xe2\x80\xae", "ab\xe2\x81\xa6"}) {
    CAPTURE(text);
    CHECK(first_unprintable(text) == 2);
  }
  CHECK(first_unprintable(std::string_view("ab\0c", 4)) == 2);
  // No UTF-8 (RFC 3629): a lone byte, one cut short, overlong forms, a surrogate, beyond U+10FFFF.
  for (const char* text : {"ab\x80", "ab\xff", "ab\xc3", "ab\xe2\x82", "ab\xc0\xaf", "ab\xe0\x80\xaf", "ab\xed\xa0\x80",
                           "ab\xf4\x90\x80\x80", "ab\xf8\x88\x80\x80\x80"}) {
    CAPTURE(text);
    CHECK(first_unprintable(text) == 2);
  }
}

TEST_CASE("what is not printable is shown escaped, and a cut never parts a character") {
  CHECK(printable("a\n\x1b\xc2\x9b\xff") == "a\\u000a\\u001b\\u009b\\xff");
  CHECK(first_unprintable(printable("a\n\x1b\xc2\x9b\xff\xe2\x80\xae")) == kAll);
  CHECK(printable("\xc3\xa4\xc3\xa4\xc3\xa4", 3) == "\xc3\xa4\xc3\xa4...");
  CHECK(printable("abc", 3) == "abc");
  CHECK(unprintable_in_words("a\x1b[0m") == "the control character \\u001b");
  CHECK(unprintable_in_words("a\xfe") == "the byte \\xfe, which is no UTF-8");
}

TEST_CASE("a word may be a file's name and leads nowhere else") {
  for (const char* word : {"a", "7", "flowcc-8", "a.b_c"}) CHECK(is_word(word));
  for (const char* none : {"", ".", "..", "../evil", "a/b", "-a", "a b", "it's", "a\n", "\xc3\xa4"}) {
    CAPTURE(none);
    CHECK_FALSE(is_word(none));
  }
  CHECK(is_path_of_words("suite/case"));
  for (const char* none : {"", "/", "/a", "a/", "a//b", "a/../b", "../a"}) {
    CAPTURE(none);
    CHECK_FALSE(is_path_of_words(none));
  }
}

TEST_CASE("a word is made of any name of a file") {
  CHECK(word_of("plain") == "plain");
  CHECK(word_of("it's a case") == "it-s-a-case");
  CHECK(word_of("../x") == "x");
  CHECK(word_of("gr\xc3\xb6\xc3\x9f"
                "e") == "gr--e");
  CHECK(word_of("\xe2\x82\xac") == "unnamed");
}

}  // namespace printable_test
