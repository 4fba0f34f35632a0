// Listing testbeds. See testbed_list.hpp.
#include "tools/scenario/testbed_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "tools/files/data_files.hpp"
#include "tools/json/input_error.hpp"
#include "tools/scenario/composition.hpp"
#include "tools/scenario/overrides.hpp"
#include "tools/scenario/scenario.hpp"
#include "tools/text/columns.hpp"

namespace racksim::tools {
namespace {

constexpr const char *kNodes = "nodes", *kLinkRate = "link.rate", *kMessageRate = "nic.message_rate";

std::string text_of(const JsonValue& value) {
  return value.string() ? *value.string() : to_canonical_json(value);
}

/// The files that a file names as its bases, without folder and ".json".
std::vector<std::string> parts_of(const std::string& file) {
  std::vector<std::string> parts;
  const JsonValue document = read_json_file(file);
  const auto add = [&](const JsonValue& base) {
    if (base.string()) parts.push_back(std::filesystem::path(*base.string()).stem().string());
  };
  const auto* base = document.find("base");
  if (!base) return parts;
  add(*base);
  if (base->elements()) std::for_each(base->elements()->begin(), base->elements()->end(), add);
  return parts;
}

/// A constant as the testbed writes it, "54.5Gbps", else as the report does.
JsonValue written_constant(const JsonValue& document, const Testbed& testbed, const std::string& path) {
  const auto* value = value_at_path(document, path);
  if (value && value->is_object()) value = value->find("value");
  if (value) return *value;
  const auto in_effect = values_in_effect(testbed.rack.parameters);
  value = value_at_path(in_effect, path);
  return value ? *value : JsonValue();
}

ListedTestbed listed(const std::string& name, const Catalogue& catalogue) {
  ListedTestbed result;
  result.name = name;
  try {
    const auto file = (scenarios_folder() / "testbeds" / (name + ".json")).string();
    const Composition composition(file);
    const auto& document = composition.document();
    const Testbed testbed =
        composition.read([&](const auto& whole, const auto& path) { return read_testbed(whole, path, catalogue); });
    result.doc = testbed.doc;
    result.parts = parts_of(file);
    for (const char* path : {kNodes, kLinkRate, kMessageRate}) {
      result.rates.set_dotted(path, written_constant(document, testbed, path));
    }
    for (const auto& fitted : testbed.annotations) {
      if (fitted.calibrated.empty()) continue;
      result.calibrated.push_back({fitted.name, written_constant(document, testbed, fitted.name), fitted.calibrated});
    }
  } catch (const InputError& error) {
    result.error = error.what();
  }
  return result;
}

/// "9 nodes, links of 54Gbps, NICs of 59.5 M messages/s".
std::string rates_of(const JsonValue& rates) {
  const auto text = [&](const char* path) { return text_of(*value_at_path(rates, path)); };
  const double messages = value_at_path(rates, kMessageRate)->number().value_or(0) / 1e6;
  return fmt::format("{} nodes, links of {}, NICs of {:g} M messages/s", text(kNodes), text(kLinkRate), messages);
}

std::string indented(const std::string& lines, const std::string& margin) {
  std::string text;
  for (std::size_t at = 0; at < lines.size();) {
    const auto end = lines.find('\n', at) + 1;
    text += margin + lines.substr(at, end - at);
    at = end;
  }
  return text;
}

std::string block(const ListedTestbed& testbed) {
  if (!testbed.error.empty()) return fmt::format("{}\n  (unreadable) {}\n", testbed.name, testbed.error);
  std::vector<std::vector<std::string>> lines{{"parts", fmt::format("{}", fmt::join(testbed.parts, ", "))},
                                              {"rates", rates_of(testbed.rates)}};
  std::vector<std::vector<std::string>> fitted;
  for (const auto& [name, value, on] : testbed.calibrated) fitted.push_back({name, text_of(value), "on: " + on});
  const std::string heading = fitted.empty() ? "" : "calibrated\n" + indented(in_columns(fitted), "  ");
  return fmt::format("{}\n  {}\n{}", testbed.name, testbed.doc, indented(in_columns(lines) + heading, "  "));
}

JsonValue object_of(const ListedTestbed& testbed) {
  if (!testbed.error.empty()) return JsonValue::object({{"name", testbed.name}, {"error", testbed.error}});
  auto object = JsonValue::object({{"name", testbed.name}, {"doc", testbed.doc}, {"parts", array_of(testbed.parts)}});
  for (const auto& rate : *testbed.rates.members()) object.append(rate);
  object.set("calibrated", array_of(testbed.calibrated, [](const auto& fitted) {
               return JsonValue::object({{"constant", fitted.constant}, {"value", fitted.value}, {"on", fitted.on}});
             }));
  return object;
}

}  // namespace

std::vector<ListedTestbed> listed_testbeds(const Catalogue& catalogue) {
  std::vector<ListedTestbed> testbeds;
  for (const auto& name : testbed_names()) testbeds.push_back(listed(name, catalogue));
  return testbeds;
}

std::string testbeds_text(const std::vector<ListedTestbed>& testbeds) {
  std::string text;
  for (const auto& testbed : testbeds) text += (text.empty() ? "" : "\n") + block(testbed);
  return text;
}

JsonValue testbeds_json(const std::vector<ListedTestbed>& testbeds) {
  return array_of(testbeds, object_of);
}

}  // namespace racksim::tools
