// Texts of results in an order: numbers and quantities by their value, names as they come.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace racksim::tools {

/// The number that a whole text is; nothing if it is none, or none that is finite.
std::optional<double> number_in(const std::string& text);

/// Where each text stands on an axis, and whether texts are names, or plain numbers.
struct TextPlaces {
  std::map<std::string, double> of;
  bool names = false, plain = false;
};

/// The places of texts that all are numbers, sizes, lengths of time or rates by their values; else by how they come, from
/// 0 on.
TextPlaces places_of(const std::vector<std::string>& texts);

/// The texts without repetition, as they come.
std::vector<std::string> distinct(const std::vector<std::string>& texts);

/// The same in the order of their places.
std::vector<std::string> in_order(const std::vector<std::string>& texts);

/// What is told of results that were put together although these settings differ among them; they are some.
std::string told_of_mixture(const std::vector<std::string>& settings);

}  // namespace racksim::tools
