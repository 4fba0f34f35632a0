// See kept_points.hpp.
#include "tools/figure/kept_points.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <iterator>

#include "sim/record/run_hash.hpp"
#include "sim/simgrid/module.hpp"
#include "tools/files/sha256.hpp"
#include "tools/files/write_file.hpp"
#include "tools/json/input_error.hpp"
#include "tools/json/json_document.hpp"

namespace racksim::tools {
namespace {

/// Tell the hashes of this file apart from others of the same words.
enum Domain : std::uint64_t { program_domain = 0x6b657074'01, point_domain, line_domain };

std::string kept_hash(Domain domain, const std::vector<std::string>& texts) {
  sim::HashMixer mixer(domain);
  for (const std::string& text : texts) mixer.add(text);
  return mixer.finish().hex();
}

std::string whole_content(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What a whole, undamaged line says.
struct KeptLine {
  std::string program, point, answer;
};

std::optional<KeptLine> read_kept_line(const std::string& text) {
  try {
    const JsonValue value = parse_json(text, "kept point");
    const auto* program = value.find("program");
    const auto* point = value.find("point");
    const auto* answer = value.find("answer");
    const auto* check = value.find("check");
    if (!program || !program->string() || !point || !point->string() || !answer || !check || !check->string())
      return {};
    KeptLine line{*program->string(), *point->string(), to_canonical_json(*answer)};
    if (*check->string() != kept_hash(line_domain, {line.program, line.point, line.answer})) return {};
    return line;
  } catch (const InputError&) {
    return {};
  }
}

}  // namespace

KeptPoints::KeptPoints(std::filesystem::path file, std::string program, const std::string& command,
                       const std::string& option)
    : file_(std::move(file)), program_(std::move(program)) {
  const std::string content = whole_content(file_);
  std::string kept;
  for (std::size_t begin = 0; begin < content.size();) {
    const std::size_t end = content.find('\n', begin);
    if (end == std::string::npos) break;  // whoever wrote this line did not come to its end
    const std::string text = content.substr(begin, end - begin);
    begin = end + 1;
    const auto line = read_kept_line(text);
    if (!line || line->program != program_) continue;
    answers_[line->point] = line->answer;
    kept += text + '\n';
  }
  if (kept != content) write_file(file_, kept, command, option);
  out_.open(file_, std::ios::binary | std::ios::app);
  if (!out_) throw InputError(command, option, quote(file_.string()), "a file that can be written");
}

std::optional<std::string> KeptPoints::find(const std::string& point) const {
  const auto found = answers_.find(point);
  return found == answers_.end() ? std::nullopt : std::optional(found->second);
}

std::string KeptPoints::line_of(const std::string& point, const std::string& answer) const {
  JsonValue line = JsonValue::object();
  const JsonValue parsed = parse_json(answer, "answer of a point");
  line.set("program", program_);
  line.set("point", point);
  line.set("answer", parsed);
  line.set("check", kept_hash(line_domain, {program_, point, to_canonical_json(parsed)}));
  return to_canonical_json(line) + '\n';
}

void KeptPoints::add(const std::string& point, const std::string& answer) {
  errno = 0;
  out_ << line_of(point, answer) << std::flush;
  if (!out_) throw OutputError(file_.string() + " could not be written: " + std::strerror(errno));
  answers_[point] = answer;
}

std::string program_identity() {
  const std::string content = whole_content("/proc/self/exe");
  if (content.empty()) throw SystemError("the program's own file cannot be read");
  return kept_hash(program_domain, {content, whole_content(sim::simgrid_module_file())});
}

std::string point_identity(const Figure& figure, const FigurePoint& point) {
  std::vector<std::string> texts = figure.metric_names;
  texts.push_back(to_canonical_json(configuration(point.scenario)));
  if (const auto* input = point.scenario.workload.options->input_file()) texts.push_back(sha256_of_file(*input));
  if (figure.timeline) {
    for (const TimeWindow& window : figure.timeline->windows) {
      texts.push_back(fmt::format("{} {}", window.begin.ps(), window.end.ps()));
    }
  }
  if (figure.knee) {
    const KneePlan& plan = *figure.knee;
    texts.insert(texts.end(), plan.probe.begin(), plan.probe.end());
    texts.push_back(plan.load);
    texts.push_back(fmt::format("{} {} {}", plan.bounds.from, plan.bounds.to, plan.bounds.tolerance));
    for (const KneeCriterion& criterion : plan.criteria) texts.push_back(fmt::format("{}", criterion.loss));
  }
  return kept_hash(point_domain, texts);
}

}  // namespace racksim::tools
