// The JSON Schema of each kind of file, by the name that `racksim schema` takes.
#pragma once

#include <string>
#include <vector>

#include "tools/json/json_document.hpp"
#include "tools/scenario/catalogue.hpp"

namespace racksim::tools {

struct FileSchema {
  std::string name;  ///< its file is scenarios/schema/NAME.json
  JsonValue (*make)(const Catalogue& catalogue);
};

/// All of them, the scenario's first.
const std::vector<FileSchema>& file_schemas();

}  // namespace racksim::tools
