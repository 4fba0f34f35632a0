// Words of a claim that give no number, such as "about", and the number that each is read as here.
//
//   "paper": {"value": 21.5, "rounding": 0.05, "words": {"about": 0.1}}    beside what a figure judges (figure_claim.hpp)
//   "words": {"up to": 0}                                                  beside a claim that tests show (paper_claims.hpp)
//
// The numbers are chosen, once for all papers, and are shares of the value that the word stands before. A claim may be
// held to less, never to more; where the paper's own rounding is narrower, that counts.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tools/json/input_error.hpp"
#include "tools/json/json_document.hpp"

namespace racksim::tools {

struct ClaimWord {
  const char* word;
  double share;  ///< at most so much
};
const std::vector<ClaimWord>& claim_words();

/// The words among them that a text has.
std::set<std::string> claim_words_in(const std::string& text);

/// A word of a claim with the share that the claim is held to.
struct WordShare {
  std::string word;
  double share = 0;
};

/// Reads "words". Throws InputError, also for a share above the word's.
std::vector<WordShare> read_word_shares(const JsonValue& value, const JsonLocation& place);

/// The JSON Schema of "words".
JsonValue words_schema();

/// " (about: 10 %, chosen)" for each; empty if there is none.
std::string word_shares_text(const std::vector<WordShare>& shares);

}  // namespace racksim::tools
