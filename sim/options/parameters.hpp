// Declared parameters: one declaration serves the scenario parser, the JSON Schema, `racksim list` and the report's
// echo of every value in effect.
//
// A component keeps its options in a plain struct with defaults and a member `void declare(sim::Parameters&)` that
// names each field once. Nothing here knows JSON: the parser walks the declarations and writes through the pointers.
//
// A declaration also says what `racksim fuzz` may vary:
//
//   p.size("cache", cache_bytes, 4096, most, "private cache").varied({4096, 65536});
//
// and which of that leaves the rack at ease, so that whatever is then sent again was lost by a mistake:
//
//   p.length("work", work, zero, most, "time for a request").varied({zero, us, us * 5}).moderate({zero});
//   p.length("patience", patience, us, most, "how long to wait for an answer").varied({us, us * 100}).timeout();
//
// A text in a notation of its own says how what it means is written, so that runs that are the same have one hash:
//
//   p.text("nodes", nodes, "the nodes of one side").canonical([this] { return printed(parsed(nodes)); });
//
// And which values turn off a safety mechanism, what goes wrong then, and the regression that shows it
// (`racksim list mechanisms`):
//
//   p.flag("scoreboard", scoreboard, "locks are taken once").guards("two writers", "flowcc/mechanisms.json/without-scoreboard");
//
// A default that stands for something real says where it comes from: what is published of it, how it was estimated, or
// which of a paper's numbers it was fitted to. Every length of time of a protocol does (a test).
//
//   p.length("work", work, zero, most, "core time of a request").estimate("as long as posting one");
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "sim/kernel/time.hpp"
#include "sim/options/place.hpp"

namespace racksim::sim {

/// One declared parameter: where its value lives and what it may be.
struct Parameter {
  /// A member of an enumeration, reached through its underlying integer.
  struct Choice {
    void* target;
    std::int64_t (*get)(const void*);
    void (*set)(void*, std::int64_t);
    std::vector<std::pair<std::string, std::int64_t>> names;
  };
  struct Flag {
    bool* target;
  };
  struct Integer {
    std::uint64_t* target;
    std::uint64_t min, max;
  };
  /// A whole number, or nothing (JSON's null).
  struct OptionalInteger {
    std::optional<std::uint64_t>* target;
    std::uint64_t min, max;
  };
  struct Real {
    double* target;
    double min, max;
  };
  /// A number, or nothing (JSON's null).
  struct OptionalReal {
    std::optional<double>* target;
    double min, max;
  };
  /// A number of bytes, written as "4KiB".
  struct Size {
    std::uint64_t* target;
    std::uint64_t min, max;
  };
  /// A length of time, written as "10ms".
  struct Length {
    Duration* target;
    Duration min, max;
  };
  /// Bits per second, written as "100Gbps".
  struct Rate {
    std::uint64_t* target;
    std::uint64_t min, max;
  };
  struct Text {
    std::string* target;
  };

  using Kind = std::variant<Flag, Integer, OptionalInteger, Real, OptionalReal, Size, Length, Rate, Choice, Text>;
  /// A value of any kind: a Size or Rate as its number, a Choice by its name.
  using Value = std::variant<bool, std::uint64_t, double, Duration, std::string>;

  std::string name;  ///< may hold dots: "cache.bytes" is member `bytes` of object `cache`
  std::string doc;   ///< one sentence: meaning and unit
  Kind kind;
  /// What a fuzzer may put in the place of the scenario's value: these, or, with `varied_from`, any whole number from
  /// there up to the scenario's value. Only values under which every promise must still be kept.
  std::vector<Value> varied = {};
  std::optional<std::uint64_t> varied_from = {};
  /// Of those, what a calm run may have (tools/fuzz/swarm.hpp): values that neither overload a rack nor take the
  /// mechanism under test out of play. Not given: all; empty: what the scenario has.
  std::optional<std::vector<Value>> moderate = {};
  /// Of those, what a calm run may have because the mechanism under test then does its share of the work; no other
  /// value makes the rack any slower. Not given: all.
  std::optional<std::vector<Value>> effective = {};
  /// The value that leaves out what the parameter is about; of one that may be null, null if `neutral_null`. With it,
  /// run hashes do not know of the parameter, so that those of before it was declared stay as they are.
  std::optional<Value> neutral = {};
  bool neutral_null = false;
  /// Of a text in a notation of its own: the one form of what it says, which is echoed and hashed in the place of what is
  /// written. Throws OptionError where the text is wrong.
  std::function<std::string()> canonical = {};
  bool timeout = false;  ///< a time to wait for an answer, which in a calm run is not below its default
  /// A value that turns a safety mechanism off.
  struct Unsafe {
    Value value;
    bool null;                    ///< instead of the value, of one that may be null
    std::string_view breaks;      ///< what goes wrong then; a literal, as the next
    std::string_view regression;  ///< FILE/CASE of scenarios/regress/ that fails for this value, and not without it
  };
  std::vector<Unsafe> unsafe = {};
  /// Where the default comes from.
  struct Basis {
    enum class Of : std::uint8_t { published, estimate, calibrated } of;
    std::string_view text;  ///< a literal
  };
  std::optional<Basis> basis = {};

  /// What it means, and where its default comes from.
  std::string described() const;
};

/// A parameter that was declared just now; more may be said of it at once.
template <class T>
class Declared {
 public:
  explicit Declared(Parameter& parameter) : parameter_(parameter) {}

  /// A fuzzer may try these values: all of them are safe.
  Declared& varied(std::initializer_list<T> values) {
    for (const T& value : values) parameter_.varied.push_back(stored(value));
    return *this;
  }
  /// A fuzzer may try any whole number from `least` up to what the scenario gives.
  Declared& varied_from(T least) requires std::is_same_v<T, std::uint64_t> {
    parameter_.varied_from = least;
    return *this;
  }
  /// Of these, only those neither overload a rack nor take the mechanism under test out of play; without any, only what
  /// the scenario has.
  Declared& moderate(std::initializer_list<T> values) {
    parameter_.moderate.emplace();
    for (const T& value : values) parameter_.moderate->push_back(stored(value));
    return *this;
  }
  /// Of these, the mechanism under test is in play with those only, though none is a burden.
  Declared& effective(std::initializer_list<T> values) {
    parameter_.effective.emplace();
    for (const T& value : values) parameter_.effective->push_back(stored(value));
    return *this;
  }
  /// With this value it is as if the parameter did not exist, for run hashes too (Parameter::neutral).
  Declared& neutral(const T& value) {
    parameter_.neutral = stored(value);
    return *this;
  }
  /// The same of one that may be null, with null.
  Declared& neutral_null() {
    parameter_.neutral_null = true;
    return *this;
  }
  /// What the text says, however it is written (Parameter::canonical).
  Declared& canonical(std::function<std::string()> printed) requires std::is_same_v<T, std::string> {
    parameter_.canonical = std::move(printed);
    return *this;
  }
  /// It is a time to wait for an answer, and shorter than its default it may end too early.
  Declared& timeout() {
    parameter_.timeout = true;
    return *this;
  }
  /// It is a safety mechanism, which this value turns off (Parameter::Unsafe).
  Declared& guards(const T& unsafe, std::string_view breaks, std::string_view regression) {
    parameter_.unsafe.push_back({stored(unsafe), false, breaks, regression});
    return *this;
  }
  /// The same of a flag, which turns it off with false.
  Declared& guards(std::string_view breaks, std::string_view regression) requires std::is_same_v<T, bool> {
    return guards(false, breaks, regression);
  }
  /// The same of one that may be null, with null.
  Declared& guards_unless_null(std::string_view breaks, std::string_view regression) {
    parameter_.unsafe.push_back({Parameter::Value(), true, breaks, regression});
    return *this;
  }

  /// Its default stands so in a paper, a datasheet or published code.
  Declared& published(std::string_view where) { return based(Parameter::Basis::Of::published, where); }
  /// Nobody has published its default: how it was guessed, or that it is our choice.
  Declared& estimate(std::string_view how) { return based(Parameter::Basis::Of::estimate, how); }
  /// Its default was fitted to this number of a paper, which therefore shows nothing.
  Declared& calibrated(std::string_view to) { return based(Parameter::Basis::Of::calibrated, to); }

 private:
  Declared& based(Parameter::Basis::Of of, std::string_view text) {
    parameter_.basis = {of, text};
    return *this;
  }
  Parameter::Value stored(const T& value) const {
    if constexpr (std::is_enum_v<T>) {
      std::string text;
      for (const auto& [name, member] : std::get<Parameter::Choice>(parameter_.kind).names) {
        if (member == static_cast<std::int64_t>(value)) text = name;
      }
      return text;
    } else {
      return value;
    }
  }
  Parameter& parameter_;
};

/// The list that a component's `declare` fills. A name that is declared twice is a std::logic_error.
class Parameters {
 public:
  Declared<bool> flag(std::string_view name, bool& value, std::string_view doc,
                      SourcePlace where = SourcePlace::current()) {
    return Declared<bool>(add(name, doc, Parameter::Flag{&value}, where));
  }
  Declared<std::uint64_t> optional_integer(std::string_view name, std::optional<std::uint64_t>& value,
                                           std::uint64_t min, std::uint64_t max, std::string_view doc,
                                           SourcePlace where = SourcePlace::current()) {
    return Declared<std::uint64_t>(add(name, doc, Parameter::OptionalInteger{&value, min, max}, where));
  }
  Declared<std::uint64_t> integer(std::string_view name, std::uint64_t& value, std::uint64_t min, std::uint64_t max,
                                  std::string_view doc, SourcePlace where = SourcePlace::current()) {
    return Declared<std::uint64_t>(add(name, doc, Parameter::Integer{&value, min, max}, where));
  }
  Declared<double> real(std::string_view name, double& value, double min, double max, std::string_view doc,
                        SourcePlace where = SourcePlace::current()) {
    return Declared<double>(add(name, doc, Parameter::Real{&value, min, max}, where));
  }
  /// A share or probability from 0 to 1.
  Declared<double> ratio(std::string_view name, double& value, std::string_view doc,
                         SourcePlace where = SourcePlace::current()) {
    return real(name, value, 0.0, 1.0, doc, where);
  }
  void optional_ratio(std::string_view name, std::optional<double>& value, std::string_view doc,
                      SourcePlace where = SourcePlace::current()) {
    add(name, doc, Parameter::OptionalReal{&value, 0.0, 1.0}, where);
  }
  Declared<std::uint64_t> size(std::string_view name, std::uint64_t& bytes, std::uint64_t min, std::uint64_t max,
                               std::string_view doc, SourcePlace where = SourcePlace::current()) {
    return Declared<std::uint64_t>(add(name, doc, Parameter::Size{&bytes, min, max}, where));
  }
  Declared<Duration> length(std::string_view name, Duration& value, Duration min, Duration max, std::string_view doc,
                            SourcePlace where = SourcePlace::current()) {
    return Declared<Duration>(add(name, doc, Parameter::Length{&value, min, max}, where));
  }
  Declared<std::uint64_t> rate(std::string_view name, std::uint64_t& bits_per_second, std::uint64_t min,
                               std::uint64_t max, std::string_view doc, SourcePlace where = SourcePlace::current()) {
    return Declared<std::uint64_t>(add(name, doc, Parameter::Rate{&bits_per_second, min, max}, where));
  }
  Declared<std::string> text(std::string_view name, std::string& value, std::string_view doc,
                             SourcePlace where = SourcePlace::current()) {
    return Declared<std::string>(add(name, doc, Parameter::Text{&value}, where));
  }

  template <class Enum>
  Declared<Enum> choice(std::string_view name, Enum& value,
                        std::initializer_list<std::pair<std::string_view, Enum>> names, std::string_view doc,
                        SourcePlace where = SourcePlace::current()) {
    Parameter::Choice choice{&value,
                             [](const void* p) { return static_cast<std::int64_t>(*static_cast<const Enum*>(p)); },
                             [](void* p, std::int64_t v) { *static_cast<Enum*>(p) = static_cast<Enum>(v); },
                             {}};
    for (const auto& [text, member] : names) choice.names.emplace_back(text, static_cast<std::int64_t>(member));
    return Declared<Enum>(add(name, doc, std::move(choice), where));
  }

  /// The parameters that `component` declares, under `name` and a dot.
  template <class Component>
  void object(std::string_view name, Component& component) {
    Parameters inner;
    component.declare(inner);
    for (std::size_t i = 0; i < inner.all_.size(); ++i) {
      Parameter& parameter = inner.all_[i];
      parameter.name = std::string(name) + '.' + parameter.name;
      refuse_twice(parameter.name, inner.places_[i]);
      all_.push_back(std::move(parameter));
      places_.push_back(inner.places_[i]);
    }
  }

  const std::vector<Parameter>& all() const { return all_; }

 private:
  Parameter& add(std::string_view name, std::string_view doc, Parameter::Kind kind, const SourcePlace& where) {
    refuse_twice(name, where);
    places_.push_back(where);
    return all_.emplace_back(Parameter{std::string(name), std::string(doc), std::move(kind)});
  }
  /// Throws std::logic_error, which names both places, if the name is taken.
  void refuse_twice(std::string_view name, const SourcePlace& where) const {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (all_[i].name != name) continue;
      throw std::logic_error(fmt::format("the option \"{}\" is declared twice: in {} and in {}", name,
                                         place_of(places_[i]), place_of(where)));
    }
  }

  std::vector<Parameter> all_;
  std::vector<SourcePlace> places_;  // of the declarations, in the same order
};

}  // namespace racksim::sim
