// What comments and documents mention exists: files, folders, tests, scenarios, sections, options, commands, and the
// names in backticks. A name that was moved or deleted is found here and not by a reader.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/places.hpp"

namespace mentions_test {

namespace fs = std::filesystem;

namespace {

/// Lines of prose that belong together: a comment, or a paragraph of a document.
struct Prose {
  std::string file;
  unsigned line;
  std::string text;
};

/// What mentions may name, and the prose in which they stand.
struct Tree {
  std::set<std::string> paths;     ///< of files and folders, relative to the root
  std::set<std::string> words;     ///< of code and data
  std::set<std::string> literals;  ///< the texts in quotes of the sources
  std::set<std::string> options;   ///< "protocol.flowcc.migration.epoch", and "protocol.flowcc.migration"
  std::set<std::string> sections;  ///< of docs/hardware.md: "6.7"
  std::vector<Prose> prose;
};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool ends_with_any(std::string_view text, std::initializer_list<std::string_view> ends) {
  return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return text.ends_with(end); });
}

void add_words(std::string_view text, std::set<std::string>& words) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto begin = at;
    while (at < text.size() && is_word(text[at])) ++at;
    if (at > begin) words.emplace(text.substr(begin, at - begin));
  }
}

/// Splits a line of a source into code and comment, and collects what stands in quotes.
std::pair<std::string, std::string> split(const std::string& line, std::set<std::string>& literals) {
  std::string literal;
  bool quoted = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (quoted && line[at] == '\\') {
      literal += line[++at];
    } else if (line[at] == '"') {
      if (quoted) literals.insert(std::exchange(literal, {}));
      quoted = !quoted;
    } else if (quoted) {
      literal += line[at];
    } else if (line[at] == '\'' && at + 2 < line.size()) {
      at += line[at + 1] == '\\' ? 3 : line[at + 2] == '\'' ? 2 : 0;
    } else if (line.compare(at, 2, "//") == 0) {
      const auto text = line.find_first_not_of("/< ", at);
      return {line.substr(0, at), text == std::string::npos ? "" : line.substr(text)};
    }
  }
  return {line, ""};
}

/// Adds a line to the prose above it, or begins another.
void add_prose(Tree& tree, const std::string& file, unsigned line, std::string text, bool continues) {
  if (text.starts_with("namespace ")) return;  // what a brace closes
  if (continues && !tree.prose.empty()) {
    tree.prose.back().text += ' ' + text;
  } else {
    tree.prose.push_back({file, line, std::move(text)});
  }
}

void read_source(Tree& tree, const std::string& file, std::istream& stream) {
  std::string line;
  bool in_comment = false;
  for (unsigned number = 1; std::getline(stream, line); ++number) {
    auto [code, comment] = split(line, tree.literals);
    add_words(code, tree.words);
    const bool alone = code.find_first_not_of(' ') == std::string::npos;
    if (!comment.empty()) add_prose(tree, file, number, std::move(comment), in_comment && alone);
    in_comment = line.find("//") != std::string::npos;
  }
}

void read_document(Tree& tree, const std::string& file, std::istream& stream) {
  std::string line;
  std::string printed = file;
  bool listing = false, in_paragraph = false;
  for (unsigned number = 1; std::getline(stream, line); ++number) {
    if (file == "docs/hardware.md" && line.starts_with("## ")) tree.sections.insert(line.substr(3, 3));
    if (line.starts_with("```")) {
      listing = !listing;
      // A fence that prints a file names it, and what that file mentions is meant from its own folder.
      const auto named = line.substr(line.rfind(' ') + 1);
      printed = listing && named.find('/') != std::string::npos ? named : file;
    }
    add_prose(tree, printed, number, line, in_paragraph && !listing && !line.empty());
    in_paragraph = !listing && !line.empty();
  }
}

/// The options that a schema allows, by their paths in a scenario.
void add_options(const nlohmann::json& schema, const std::string& path, std::set<std::string>& options) {
  if (schema.is_array()) {
    for (const auto& part : schema) add_options(part, path, options);
  } else if (schema.is_object()) {
    for (const auto& [key, value] : schema.items()) {
      if (key != "properties") {
        add_options(value, path, options);
        continue;
      }
      for (const auto& [name, property] : value.items()) {
        const auto inner = path.empty() ? name : path + "." + name;
        options.insert(inner);
        add_options(property, inner, options);
      }
    }
  }
}

std::string output_of(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 65536> buffer;
  while (const auto read = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) text.append(buffer.data(), read);
  return text;
}

/// The cases of a suite file are paths below it.
void add_cases(Tree& tree, const std::string& file, const std::string& text) {
  const auto document = nlohmann::json::parse(text);
  if (!document.contains("cases")) return;
  for (const auto& [name, content] : document["cases"].items()) tree.paths.insert(file + "/" + name);
}

Tree read_tree() {
  const fs::path root = racksim::places::source_folder();
  Tree tree;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::recursive_directory_iterator(); ++entry) {
    const auto path = entry->path().lexically_relative(root).string();
    if (path == "build" || path == "runs" || path == ".git") {
      entry.disable_recursion_pending();
      continue;
    }
    tree.paths.insert(path);
    if (!entry->is_regular_file() || path == "tests/architecture/mentions_test.cpp") continue;
    std::ifstream stream(entry->path());
    if (ends_with_any(path, {".cpp", ".hpp"})) {
      read_source(tree, path, stream);
    } else if (path.ends_with(".md")) {
      // The reference is written from what is there, and tools/docs says when it is stale.
      if (!path.starts_with("docs/reference/")) read_document(tree, path, stream);
    } else if (!path.ends_with(".patch")) {
      std::stringstream text;
      text << stream.rdbuf();
      add_words(text.str(), tree.words);
      const bool has_cases = path.starts_with("scenarios/") || path.starts_with("docs/");
      if (has_cases && path.ends_with(".json")) add_cases(tree, path, text.str());
    }
  }
  for (const auto& program : {racksim::places::write_through_program(), racksim::places::examples_program()}) {
    add_options(nlohmann::json::parse(output_of("'" + program + "' schema")), "", tree.options);
  }
  return tree;
}

const Tree& tree() {
  static const Tree read = read_tree();
  return read;
}

/// Whether a path is what a pattern with asterisks says.
bool matches(std::string_view path, std::string_view pattern) {
  if (pattern.empty()) return path.empty();
  if (pattern[0] != '*') return !path.empty() && path[0] == pattern[0] && matches(path.substr(1), pattern.substr(1));
  for (std::size_t at = 0; at <= path.size(); ++at) {
    if (matches(path.substr(at), pattern.substr(1))) return true;
  }
  return false;
}

/// What a file means by a path: from the root of the tree, or in the nearest folder around it that has one such below.
/// Tests are with what they test. Says what is wrong; empty if nothing is.
std::string fault_of_path(const std::string& file, std::string path) {
  if (path.ends_with('/')) path.pop_back();
  if (path.starts_with("../")) path = (fs::path(file).parent_path() / path).lexically_normal().string();
  const auto& paths = tree().paths;
  if (path.find('*') != std::string::npos) {
    const auto found = [&](const std::string& one) { return matches(one, path) || matches(one, "*/" + path); };
    return std::any_of(paths.begin(), paths.end(), found) ? "" : "nothing is called so";
  }
  if (paths.contains(path) || paths.contains(path + ".json") || paths.contains(path + ".patch")) return "";
  if (paths.contains("tests/mutants/" + path + ".patch")) return "";  // as tools/mutants names it
  auto folder = fs::path(file).parent_path();
  for (;; folder = folder.parent_path()) {
    std::vector<std::string> around{folder.string()};
    if (around[0].starts_with("tests/")) around.push_back(around[0].substr(6));
    std::size_t found = 0;
    for (const auto& one : around) {
      const auto below = one.empty() ? "" : one + "/";
      if (paths.contains(below + path)) return "";
      found += static_cast<std::size_t>(std::count_if(paths.begin(), paths.end(), [&](const std::string& candidate) {
        return candidate.starts_with(below) && candidate.ends_with("/" + path);
      }));
    }
    if (found == 1 || (found > 1 && file.ends_with(".md"))) return "";
    if (found > 1) return "several are called so";
    if (folder.empty()) return "there is none";
  }
}

/// Whether a word stands for what the reader puts there: NAME.json, DIR/baselines, FILE.
bool is_placeholder(std::string_view word) {
  std::size_t capitals = 0;
  for (std::size_t at = 0; at <= word.size(); ++at) {
    if (at < word.size() && std::isupper(static_cast<unsigned char>(word[at])) != 0) {
      ++capitals;
    } else if (at < word.size() && is_word(word[at])) {
      capitals = 0;
    } else {
      if (capitals > 0) return true;
      capitals = 0;
    }
  }
  return false;
}

/// A word of prose that looks like a file, a folder or a test.
std::string fault_of_word(const std::string& file, const std::string& word) {
  if (word.ends_with("_test") && std::all_of(word.begin(), word.end(), is_word)) {
    return fault_of_path("", word + ".cpp") == "there is none" ? "no such test" : "";
  }
  const bool is_file =
      ends_with_any(word, {".hpp", ".cpp", ".md", ".json", ".cmake"}) || word.find(".json/") != std::string::npos;
  const auto slash = word.find('/');
  const bool is_written = word.starts_with("runs/") || word.starts_with("build/");  // by commands
  if (slash == 0 || word.find("//") != std::string::npos || is_placeholder(word) || is_written) return "";
  if (is_file && word.starts_with("../")) {
    return fault_of_path("", (fs::path(file).parent_path() / word).lexically_normal().string());
  }
  if (slash == std::string::npos) {
    if (!is_file || word.find_first_not_of("*.") != 0 || word.ends_with("-shrunk.json")) return "";
    // Files that the program writes are known by the text that names them.
    return tree().literals.contains(word) || tree().words.contains(word) ? "" : fault_of_path(file, word);
  }
  const auto first = word.substr(0, slash);
  const std::set<std::string> tops{"sim",   "p4model",   "models", "protocols", "tools",
                                   "tests", "scenarios", "cmake",  "docs"};
  return is_file || tops.contains(first) ? fault_of_path(file, word) : "";
}

/// "gam.messages", "recovery.locks=false": an option, a metric, or an expression of the sources.
std::string fault_of_dotted(const std::string& name) {
  const auto is_part = [&](const std::string& option) {
    const auto at = ("." + option + ".").find("." + name + ".");
    return at != std::string::npos;
  };
  if (std::any_of(tree().options.begin(), tree().options.end(), is_part)) return "";
  // A metric stands in quotes, with what it belongs to or without; a family of them by what their names begin with.
  const auto behind = name.substr(name.find('.') + 1);
  const bool is_begin = name.ends_with('_') || name.ends_with('.');
  const auto is_metric = [&](const std::string& text) {
    if (is_begin) return text.starts_with(name) || (!behind.empty() && text.starts_with(behind));
    return text == behind || text == name || text.starts_with(name + ".");
  };
  if (std::any_of(tree().literals.begin(), tree().literals.end(), is_metric)) return "";
  const auto first = name.substr(0, name.find('.'));
  const bool of_scenario = tree().options.contains(first) || tree().options.contains("protocol." + first);
  if (of_scenario) return "neither an option nor a metric";
  std::set<std::string> parts;
  add_words(name, parts);
  const bool known =
      std::all_of(parts.begin(), parts.end(), [](const auto& part) { return tree().words.contains(part); });
  return known ? "" : "not in the sources";
}

/// What stands in backticks and is one name: `Calendar::run`, `protocol.flowcc.ownership=home`, `stall`.
std::string fault_of_name(std::string name) {
  name = name.substr(0, name.find('='));
  if (name.ends_with("()")) name.resize(name.size() - 2);
  const auto is_name = [](char c) { return is_word(c) || c == ':' || c == '.' || c == '-'; };
  const bool starts = !name.empty() && (std::isalpha(static_cast<unsigned char>(name[0])) != 0 || name[0] == '_');
  if (!starts || !std::all_of(name.begin(), name.end(), is_name) || is_placeholder(name)) return "";
  if (ends_with_any(name, {".hpp", ".cpp", ".md", ".json", "_test"})) return "";  // files have been looked at
  if (name.find('-') != std::string::npos && name.find('.') == std::string::npos) return "";
  if (name.find('.') != std::string::npos) return name.find(':') == std::string::npos ? fault_of_dotted(name) : "";
  std::set<std::string> parts;
  add_words(name, parts);
  const bool known =
      std::all_of(parts.begin(), parts.end(), [](const auto& part) { return tree().words.contains(part); });
  return known ? "" : "not in the sources";
}

/// The path that `--set` gives a value, "faults.0.until" without the number.
std::string fault_of_override(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\'')) text.remove_prefix(1);
  const auto equals = text.find('=');
  if (equals == std::string_view::npos) return "";
  std::string path;
  for (std::size_t at = 0; at < equals; ++at) {
    if (!is_word(text[at]) && text[at] != '.' && text[at] != '-') return "";
    if (text[at] == '.' && at + 1 < equals && std::isdigit(static_cast<unsigned char>(text[at + 1])) != 0) {
      while (at + 1 < equals && text[at + 1] != '.') ++at;
    } else {
      path += text[at];
    }
  }
  if (path.find('.') == std::string::npos || is_placeholder(path)) return "";
  // What an exploration's model takes has paths of its own.
  const bool of_scenario = tree().options.contains(path.substr(0, path.find('.')));
  const bool exists =
      of_scenario ? tree().options.contains(path) : tree().words.contains(path.substr(path.rfind('.') + 1));
  return exists ? "" : fmt::format("no option '{}'", path);
}

/// "6.4, 6.5", "7.3-7.5", "6.2 to 6.4" behind the name of docs/hardware.md.
std::string fault_of_sections(std::string_view text) {
  while (text.starts_with('`') || text.starts_with(' ')) text.remove_prefix(1);
  for (;;) {
    const auto is_number = text.size() > 2 && std::isdigit(static_cast<unsigned char>(text[0])) != 0 &&
                           text[1] == '.' && std::isdigit(static_cast<unsigned char>(text[2])) != 0;
    if (!is_number) return "";
    const std::string section(text.substr(0, 3));
    if (!tree().sections.contains(section)) return fmt::format("no section {}", section);
    text.remove_prefix(3);
    for (const std::string_view join : {", ", "-", " to ", " and "}) {
      if (text.starts_with(join)) {
        text.remove_prefix(join.size());
        break;
      }
    }
  }
}

/// Everything wrong with what some prose of a file mentions.
std::vector<std::string> faults(const std::string& file, std::string text) {
  std::vector<std::string> found;
  const auto note = [&](const std::string& what, const std::string& fault) {
    if (!fault.empty()) found.push_back(fmt::format("{}: {}", what, fault));
  };
  for (const std::string_view dots : {"…", "..."}) {
    for (auto at = text.find(dots); at != std::string::npos; at = text.find(dots, at))
      text.replace(at, dots.size(), "*");
  }
  constexpr std::string_view kSections = "hardware.md";
  for (auto at = text.find(kSections); at != std::string::npos; at = text.find(kSections, at + 1)) {
    note("docs/hardware.md", fault_of_sections(std::string_view(text).substr(at + kSections.size())));
  }
  for (auto at = text.find("--set "); at != std::string::npos; at = text.find("--set ", at + 1)) {
    note("--set", fault_of_override(std::string_view(text).substr(at + 6)));
  }
  const auto in_path = [](char c) { return is_word(c) || c == '/' || c == '.' || c == '-' || c == '*'; };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto begin = at;
    while (at < text.size() && in_path(text[at])) ++at;
    auto word = text.substr(begin, at - begin);
    while (word.ends_with('.')) word.pop_back();
    if (word.find_first_of("/._") != std::string::npos) note(word, fault_of_word(file, word));
  }
  for (auto open = text.find('`'); open != std::string::npos;) {
    const auto close = text.find('`', open + 1);
    if (close == std::string::npos) break;
    const auto name = text.substr(open + 1, close - open - 1);
    note("`" + name + "`", fault_of_name(name));
    open = text.find('`', close + 1);
  }
  return found;
}

}  // namespace

TEST_CASE("what comments and documents mention exists") {
  CHECK(tree().prose.size() > 10'000);
  CHECK(tree().options.size() > 500);
  CHECK(tree().sections.size() > 10);
  for (const auto& prose : tree().prose) {
    for (const auto& fault : faults(prose.file, prose.text))
      FAIL_CHECK(fmt::format("{}:{}: {}", prose.file, prose.line, fault));
  }
}

TEST_CASE("the check itself finds what does not exist") {
  const auto stale = [](const std::string& text, const std::string& file = "sim/kernel/calendar.hpp") {
    return !faults(file, text).empty();
  };
  CHECK_FALSE(stale("sim/kernel/time.hpp, `calendar.cpp`, record/ids.hpp (see README.md): tests/mutants/apply."));
  CHECK(stale("see sim/kernel/thyme.hpp."));
  CHECK(stale("(no_calendar.cpp)"));
  CHECK(stale("implementations.md, 3.1"));
  CHECK(stale("protocols/flowcc/requester.hpp"));
  CHECK_FALSE(stale("scenarios/quickstart.json, scenarios/regress/flowcc/*, `scenarios/NAME.json`", "README.md"));
  CHECK(stale("scenarios/regress/flowcc-without-anything"));
  CHECK(stale("scenarios/regress/no-protocol-*"));
  CHECK_FALSE(stale("../README.md, tests/mutants/gam/grant-before-its-olog", "docs/fidelity.md"));
  CHECK_FALSE(stale("sim/event-at-the-limit-is-left", "docs/finding-bugs.md"));
  CHECK(stale("sim/event-at-the-limit-is-right", "docs/finding-bugs.md"));
  CHECK(stale("../no_page.md", "docs/fidelity/gam.md"));
  CHECK_FALSE(stale("flowcc/migrating.json/without-mark and scenarios/regress/flowcc/migrating.json/*"));
  CHECK(stale("flowcc/migrating.json/without-marks"));
  CHECK_FALSE(stale("[README](../README.md), build/docs/found.json", "docs/hardware.md"));
  CHECK(stale("[none](../none.md)", "docs/hardware.md"));
  CHECK_FALSE(stale("include_arrows_test has it"));
  CHECK(stale("include_circles_test has it"));
  CHECK_FALSE(stale("docs/hardware.md 6.4, 6.5), and docs/hardware.md 6.2 to 6.4"));
  CHECK(
      stale("docs/hardware.md 6.4, 6.55"
            " and docs/hardware.md 5.1"));
  CHECK_FALSE(stale("`protocol.flowcc.ownership=home`, `flowcc.ownership`, `--set faults.0.kind=loss`"));
  CHECK(stale("`protocol.flowcc.ownership_of_blocks`"));
  CHECK(stale("`flowcc.metric_of_nothing`"));
  CHECK(stale("--set protocol.flowcc.owner=home"));
  CHECK_FALSE(stale("`Calendar::run_until` and `ScheduleOrder`"));
  CHECK(stale("`Calendar::run_unto`"));
}

}  // namespace mentions_test
