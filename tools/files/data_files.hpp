// Where scenarios, testbeds and figures are found: beside the file that names them, in the source tree, or installed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/json/json_document.hpp"

namespace racksim::tools {

/// The `scenarios` folder that comes with the program: `../share/racksim/scenarios` beside an installed executable,
/// else the one of the source tree it was built from. Empty if neither exists.
std::filesystem::path scenarios_folder();

/// The file of a scenario given on the command line: the path itself if it exists, else that path in the scenarios
/// folder, with or without a leading "scenarios/". The case of a suite file is named FILE/CASE, as if the file were a
/// folder; whether the file has that case is not asked here. Throws InputError with the nearest existing name.
std::string find_scenario_file(const std::string& path);

/// Notes that a file is read as input, so that no output of this process goes where it is, by whatever path or link.
void note_input(const std::string& file);
/// The input that is the same file as the one at `path`; empty if there is none.
std::string input_at(const std::filesystem::path& path);

/// A file that another file names: the one at `path` from the folder of `file`, else as `find_scenario_file` says.
std::string find_named_file(const std::string& path, const std::string& file);

/// A path FILE/CASE in its two parts; `name` is empty if `path` names no case.
struct CasePath {
  std::string file, name;
};
CasePath split_case(const std::string& path);

/// The folder in which the file of `path` lies, a file or FILE/CASE.
std::filesystem::path folder_of(const std::string& path);

/// The file of a testbed named in a scenario: a path (with "/" or ".json") relative to `folder`, the scenario's own;
/// else NAME.json in `folder`, in `folder`/testbeds or among the testbeds that come with the program. Empty if there is
/// none.
std::string find_testbed_file(const std::string& name, const std::filesystem::path& folder);

/// The document with "$schema" first, for editors, where it is to be written to a file below the scenarios folder.
JsonValue with_schema(const JsonValue& document, const char* kind, const std::string& file);

/// The names of the testbeds that come with the program, without the parts they are put together from.
std::vector<std::string> testbed_names();

/// The names of the JSON files below a folder, relative to it and without ".json", in alphabetical order.
std::vector<std::string> json_names_below(const std::filesystem::path& folder);

}  // namespace racksim::tools
