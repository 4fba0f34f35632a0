// The table of words, and reading what a claim is held to. See claim_words.hpp.
#include "tools/figure/claim_words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "tools/json/json_schema.hpp"
#include "tools/scenario/binding.hpp"
#include "tools/text/nearest_name.hpp"

namespace racksim::tools {
namespace {

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

/// "Up to half of the accesses" names a place on an axis; "up to 1.85 times" is about a value.
bool names_a_place(const std::string& word, const std::string& behind) {
  return word == "up to" && behind.starts_with(" half");
}

std::vector<std::string> all_words() {
  std::vector<std::string> words;
  for (const ClaimWord& one : claim_words()) words.emplace_back(one.word);
  return words;
}

}  // namespace

const std::vector<ClaimWord>& claim_words() {
  static const std::vector<ClaimWord> all{
      {"about", 0.1}, {"almost", 0.05}, {"nearly", 0.05}, {"slightly", 0.1}, {"up to", 0.1}};
  return all;
}

std::set<std::string> claim_words_in(const std::string& text) {
  std::string lower;
  for (const char c : text) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::set<std::string> found;
  for (const std::string& word : all_words()) {
    for (std::size_t at = lower.find(word); at != std::string::npos; at = lower.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      const bool whole = (at == 0 || !is_letter(lower[at - 1])) && (end == lower.size() || !is_letter(lower[end]));
      if (whole && !names_a_place(word, lower.substr(end))) found.insert(word);
    }
  }
  return found;
}

std::vector<WordShare> read_word_shares(const JsonValue& value, const JsonLocation& place) {
  std::vector<WordShare> shares;
  for (const auto& [word, number] : require_object(value, place)) {
    const JsonLocation at = place.member(word);
    const auto found = std::find_if(claim_words().begin(), claim_words().end(),
                                    [&name = word](const ClaimWord& one) { return name == one.word; });
    if (found == claim_words().end()) {
      at.refuse("the unknown word " + quote(word), one_of(all_words()), nearest_name(word, all_words()));
    }
    const auto share = number.number();
    if (!share || *share < 0 || *share > found->share) {
      at.refuse(number.description(), fmt::format("a share of at most {}, which all claims have", found->share));
    }
    shares.push_back({word, *share});
  }
  return shares;
}

JsonValue words_schema() {
  auto schema = empty_object_schema();
  for (const ClaimWord& one : claim_words()) {
    auto share = number_schema(0);
    share.set("maximum", one.share);
    properties_of(schema).set(one.word, std::move(share));
  }
  schema.set("description", "Words of the claim without a number, and the share that each is read as: chosen.");
  return schema;
}

std::string word_shares_text(const std::vector<WordShare>& shares) {
  std::string text;
  for (const WordShare& one : shares) text += fmt::format(" ({}: {:.3g} %, chosen)", one.word, one.share * 100);
  return text;
}

}  // namespace racksim::tools
