// Declared parameters: one declaration serves the scenario parser, the JSON Schema, `racksim list` and the report's
// echo of every value in effect.
//
// A component keeps its options in a plain struct with defaults and a member `void declare(sim::Parameters&)` that
// names each field once. Nothing here knows JSON: the parser walks the declarations and writes through the pointers.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sim/time.hpp"

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

  using Kind = std::variant<Flag, Integer, OptionalInteger, Real, Size, Length, Rate, Choice, Text>;

  std::string name;  ///< may hold dots: "cache.bytes" is member `bytes` of object `cache`
  std::string doc;   ///< one sentence: meaning and unit
  Kind kind;
};

/// The list that a component's `declare` fills.
class Parameters {
 public:
  void flag(std::string_view name, bool& value, std::string_view doc) { add(name, doc, Parameter::Flag{&value}); }
  void integer(std::string_view name, std::uint64_t& value, std::uint64_t min, std::uint64_t max,
               std::string_view doc) {
    add(name, doc, Parameter::Integer{&value, min, max});
  }
  void optional_integer(std::string_view name, std::optional<std::uint64_t>& value, std::uint64_t min,
                        std::uint64_t max, std::string_view doc) {
    add(name, doc, Parameter::OptionalInteger{&value, min, max});
  }
  void real(std::string_view name, double& value, double min, double max, std::string_view doc) {
    add(name, doc, Parameter::Real{&value, min, max});
  }
  /// A share or probability from 0 to 1.
  void ratio(std::string_view name, double& value, std::string_view doc) { real(name, value, 0.0, 1.0, doc); }
  void size(std::string_view name, std::uint64_t& bytes, std::uint64_t min, std::uint64_t max, std::string_view doc) {
    add(name, doc, Parameter::Size{&bytes, min, max});
  }
  void length(std::string_view name, Duration& value, Duration min, Duration max, std::string_view doc) {
    add(name, doc, Parameter::Length{&value, min, max});
  }
  void rate(std::string_view name, std::uint64_t& bits_per_second, std::uint64_t min, std::uint64_t max,
            std::string_view doc) {
    add(name, doc, Parameter::Rate{&bits_per_second, min, max});
  }
  void text(std::string_view name, std::string& value, std::string_view doc) {
    add(name, doc, Parameter::Text{&value});
  }

  template <class Enum>
  void choice(std::string_view name, Enum& value, std::initializer_list<std::pair<std::string_view, Enum>> names,
              std::string_view doc) {
    Parameter::Choice choice{&value,
                             [](const void* p) { return static_cast<std::int64_t>(*static_cast<const Enum*>(p)); },
                             [](void* p, std::int64_t v) { *static_cast<Enum*>(p) = static_cast<Enum>(v); },
                             {}};
    for (const auto& [text, member] : names) choice.names.emplace_back(text, static_cast<std::int64_t>(member));
    add(name, doc, std::move(choice));
  }

  /// The parameters that `component` declares, under `name` and a dot.
  template <class Component>
  void object(std::string_view name, Component& component) {
    Parameters inner;
    component.declare(inner);
    for (auto& parameter : inner.all_) {
      add(std::string(name) + '.' + parameter.name, parameter.doc, std::move(parameter.kind));
    }
  }

  const std::vector<Parameter>& all() const { return all_; }

 private:
  void add(std::string_view name, std::string_view doc, Parameter::Kind kind) {
    all_.push_back({std::string(name), std::string(doc), std::move(kind)});
  }
  std::vector<Parameter> all_;
};

}  // namespace racksim::sim
