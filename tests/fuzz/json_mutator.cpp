// Rebuilds the tree and changes it at one place. See json_mutator.hpp.
#include "tests/fuzz/json_mutator.hpp"

#include <algorithm>
#include <limits>

namespace racksim::tools::testing {
namespace {

/// splitmix64.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t n) {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return static_cast<std::size_t>((x ^ x >> 31) % n);
  }

 private:
  std::uint64_t state_;
};

/// Every value of the tree, the root first.
void list_values(const JsonValue& value, std::vector<const JsonValue*>& values) {
  values.push_back(&value);
  if (const auto* elements = value.elements()) {
    for (const auto& element : *elements) list_values(element, values);
  }
  if (const auto* members = value.members()) {
    for (const auto& member : *members) list_values(member.value, values);
  }
}

JsonValue odd_scalar(Dice& dice) {
  const JsonValue values[] = {JsonValue(),
                              true,
                              false,
                              0,
                              1,
                              -1,
                              0.5,
                              1e300,
                              std::numeric_limits<std::uint64_t>::max(),
                              std::numeric_limits<std::int64_t>::min(),
                              "",
                              "0s",
                              "1ps",
                              "9223372036854775807ps",
                              "8EiB",
                              "1.5GiB",
                              "100Gbps",
                              "3%",
                              "shuffle:18446744073709551615",
                              JsonValue::array(),
                              JsonValue::object()};
  return values[dice.below(std::size(values))];
}

}  // namespace

/// One rebuilding.
class JsonMutator::Pass {
 public:
  Pass(const JsonMutator& mutator, const JsonValue& document, std::uint64_t seed)
      : words_(mutator.words_), dice_(seed) {
    list_values(document, all_);
    target_ = all_[dice_.below(all_.size())];
  }

  JsonValue copy(const JsonValue& value) {
    if (&value == target_) return change(value);
    return copy_below(value);
  }

 private:
  /// Copies members or elements, the one at index `left_out` excepted.
  JsonValue copy_below(const JsonValue& value, std::size_t left_out = ~std::size_t{0}) {
    if (const auto* elements = value.elements()) {
      auto result = JsonValue::array();
      for (std::size_t i = 0; i < elements->size(); ++i) {
        if (i != left_out) result.push(copy((*elements)[i]));
      }
      return result;
    }
    const auto* members = value.members();
    if (!members) return value;
    auto result = JsonValue::object();
    for (std::size_t i = 0; i < members->size(); ++i) {
      if (i != left_out) result.append({(*members)[i].key, copy((*members)[i].value)});
    }
    return result;
  }

  JsonValue change(const JsonValue& value) {
    const std::size_t size = value.elements()  ? value.elements()->size()
                             : value.members() ? value.members()->size()
                                               : 0;
    switch (dice_.below(size > 0 ? 6 : 3)) {
      case 0:
        return odd_scalar(dice_);
      case 1:
        return *all_[dice_.below(all_.size())];
      case 2:
        return word();
      case 3:
        return copy_below(value, dice_.below(size));
      case 4:
        return with_another(value);
      default:
        return renamed(value, dice_.below(size));
    }
  }

  JsonValue with_another(const JsonValue& value) {
    JsonValue result = value;
    JsonValue added = dice_.below(2) == 0 ? odd_scalar(dice_) : *all_[dice_.below(all_.size())];
    if (value.is_array()) {
      result.push(std::move(added));
    } else {
      result.set(word(), std::move(added));
    }
    return result;
  }

  JsonValue renamed(const JsonValue& value, std::size_t index) {
    if (value.is_array()) return copy_below(value, index);
    JsonValue result = copy_below(value, index);
    result.set(word(), (*value.members())[index].value);
    return result;
  }

  const std::string& word() { return words_[dice_.below(words_.size())]; }

  const std::vector<std::string>& words_;
  Dice dice_;
  std::vector<const JsonValue*> all_;
  const JsonValue* target_ = nullptr;
};

JsonMutator::JsonMutator(const JsonValue& vocabulary) {
  collect(vocabulary);
  std::sort(words_.begin(), words_.end());
  words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
}

JsonValue JsonMutator::mutate(const JsonValue& document, std::uint64_t seed) const {
  return Pass(*this, document, seed).copy(document);
}

void JsonMutator::collect(const JsonValue& value) {
  if (const auto* text = value.string()) words_.push_back(*text);
  if (const auto* elements = value.elements()) {
    for (const auto& element : *elements) collect(element);
  }
  if (const auto* members = value.members()) {
    for (const auto& member : *members) {
      words_.push_back(member.key);
      collect(member.value);
    }
  }
}

}  // namespace racksim::tools::testing
