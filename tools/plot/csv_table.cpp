// Comma-separated text. See result_table.hpp.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "tools/json/input_error.hpp"
#include "tools/plot/result_table.hpp"
#include "tools/text/printable.hpp"

namespace racksim::tools {
namespace {

/// The text record by record.
class Records {
 public:
  Records(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  /// The line at which the next record begins, from 1 on.
  std::size_t line() const { return line_; }
  bool at_end() const { return at_ == text_.size(); }

  /// Passes a line that begins with "#", or has nothing; false if there is none.
  bool pass_comment() {
    if (at_end() || (text_[at_] != '#' && text_[at_] != '\n')) return false;
    at_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
    ++line_;
    return true;
  }

  std::vector<std::string> next() {
    const std::size_t begun = line_;
    std::vector<std::string> fields(1);
    bool inside = false;
    for (; !at_end(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') ++line_;
      if (inside) {
        const bool twice = c == '"' && at_ + 1 < text_.size() && text_[at_ + 1] == '"';
        if (twice) ++at_;
        if (c != '"' || twice) fields.back() += c;
        inside = c != '"' || twice;
      } else if (c == '"') {
        inside = true;
      } else if (c == ',') {
        fields.emplace_back();
      } else if (c == '\n') {
        ++at_;
        break;
      } else if (c != '\r') {
        fields.back() += c;
      }
    }
    if (inside) refuse(begun, "a quote that does not end");
    for (const std::string& field : fields) {
      if (const std::size_t place = first_unprintable(field); place != std::string::npos)
        refuse(begun, unprintable_in_words(field));
    }
    return fields;
  }

  [[noreturn]] void refuse(std::size_t line, const std::string& found) const {
    throw InputError(file_, fmt::format("line {}", line), found,
                     "comma-separated values, as many in each line as the first has names");
  }

 private:
  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0, line_ = 1;
};

/// Of a column of text: how a point was made. Verdicts and hashes are what came of it, and a command says all at once.
bool is_setting(const std::string& name, std::size_t column, const std::vector<std::vector<std::string>>& rows) {
  if (name == "verdict" || name == "run_hash" || name == "command") return false;
  return std::any_of(rows.begin(), rows.end(), [column](const auto& row) {
    return row[column].find_first_not_of("0123456789.+-eEinfa") != std::string::npos;
  });
}

}  // namespace

ResultTable read_csv_table(std::string_view text, const std::string& file) {
  Records records(text, file);
  while (records.pass_comment()) {
  }
  if (records.at_end()) records.refuse(1, "nothing");
  ResultTable table;
  const std::size_t first = records.line();
  table.columns = records.next();
  for (std::string& column : table.columns) {
    const std::size_t unit = column.rfind(" [");
    if (unit == std::string::npos || unit == 0 || !column.ends_with(']')) continue;
    const std::string name = column.substr(0, unit);
    table.units[name] = column.substr(unit + 2, column.size() - unit - 3);
    column = name;
  }
  if (std::set<std::string>(table.columns.begin(), table.columns.end()).size() != table.columns.size())
    records.refuse(first, "a name twice");
  while (!records.at_end()) {
    if (records.pass_comment()) continue;
    const std::size_t line = records.line();
    table.rows.push_back(records.next());
    if (table.rows.back().size() != table.columns.size()) {
      records.refuse(line, fmt::format("{} values under {} names", table.rows.back().size(), table.columns.size()));
    }
  }
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (is_setting(table.columns[i], i, table.rows)) table.settings.push_back(table.columns[i]);
  }
  return table;
}

}  // namespace racksim::tools
