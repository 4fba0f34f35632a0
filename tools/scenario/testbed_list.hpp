// racksim list testbeds: what each testbed is put together from, how fast it is, and what of it was fitted.
#pragma once

#include <string>
#include <vector>

#include "tools/json/json_document.hpp"
#include "tools/scenario/catalogue.hpp"

namespace racksim::tools {

/// A testbed in a listing.
struct ListedTestbed {
  /// A constant that was fitted, and what to.
  struct Fitted {
    std::string constant;
    JsonValue value;
    std::string on;
  };

  std::string name, doc;
  std::string error;               ///< why it cannot be read; then nothing of what follows is known
  std::vector<std::string> parts;  ///< what the file itself builds on: "connectx-5", or another testbed
  JsonValue rates;                 ///< nodes, link.rate and nic.message_rate, as in a testbed
  std::vector<Fitted> calibrated;  ///< in the order of their declarations
};

/// Those that come with the program, in alphabetical order.
std::vector<ListedTestbed> listed_testbeds(const Catalogue& catalogue);

/// A block for each.
std::string testbeds_text(const std::vector<ListedTestbed>& testbeds);
/// An array of objects with name, doc, parts, the members of `rates`, and calibrated; or with name and error.
JsonValue testbeds_json(const std::vector<ListedTestbed>& testbeds);

}  // namespace racksim::tools
