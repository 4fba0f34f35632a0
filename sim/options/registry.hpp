// Registries: what the program offers under names, at each of its plug-in points. An entry is a struct with a `name`
// and a `kWhat`, the word for its kind; whoever has one registers it where it is written, and nobody else names it:
//
//   const sim::Registration<FaultEntry> registration({.name = "crash", ...});
//
// Objects that only register themselves are kept by linking their libraries whole (racksim_link_whole in cmake/).
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/options/place.hpp"

namespace racksim::sim {

/// All entries of one type.
template <class Entry>
class Registry {
 public:
  /// Those of the program, in the order of their names. Throws std::logic_error, which names the places, if two have
  /// registered under one name, or one without what makes it: not before, since nobody could catch it while static
  /// objects are made.
  static const std::vector<Entry>& entries() {
    const Registry& registry = instance();
    if (!registry.defect_.empty()) throw std::logic_error(registry.defect_);
    return registry.entries_;
  }
  /// The entry of that name, or null.
  static const Entry* find(std::string_view name) {
    for (const Entry& entry : entries()) {
      if (entry.name == name) return &entry;
    }
    return nullptr;
  }

  /// Called by registrations alone.
  static void add(Entry entry, const SourcePlace& where) {
    Registry& registry = instance();
    if constexpr (requires { entry.registered(); }) entry.registered();
    if (!has_maker(entry)) {
      registry.defect_ = fmt::format("the {} \"{}\" is registered in {} without what makes it", Entry::kWhat,
                                     entry.name, place_of(where));
      return;
    }
    // The order of static construction differs between linkers.
    const auto after = std::lower_bound(registry.entries_.begin(), registry.entries_.end(), entry.name,
                                        [](const Entry& one, const auto& name) { return one.name < name; });
    const auto index = after - registry.entries_.begin();
    if (after != registry.entries_.end() && after->name == entry.name) {
      registry.defect_ = fmt::format("the {} \"{}\" is registered twice: in {} and in {}", Entry::kWhat, entry.name,
                                     place_of(registry.places_[static_cast<std::size_t>(index)]), place_of(where));
      return;
    }
    registry.entries_.insert(after, std::move(entry));
    registry.places_.insert(registry.places_.begin() + index, where);
  }

 private:
  /// Entries make what they stand for by a function, `make` or `make_options`; those that only name something have
  /// none.
  static bool has_maker(const Entry& entry) {
    if constexpr (requires { entry.make == nullptr; }) {
      return !(entry.make == nullptr);
    } else if constexpr (requires { entry.make_options == nullptr; }) {
      return !(entry.make_options == nullptr);
    } else {
      return true;
    }
  }
  static Registry& instance() {
    static Registry registry;
    return registry;
  }

  std::vector<Entry> entries_;
  std::vector<SourcePlace> places_;  // of the registrations, in the same order
  std::string defect_;
};

/// A static object of this type adds an entry to its registry.
template <class Entry>
struct Registration {
  explicit Registration(Entry entry, SourcePlace where = SourcePlace::current()) {
    Registry<Entry>::add(std::move(entry), where);
  }
};

}  // namespace racksim::sim
