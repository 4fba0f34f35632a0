// Child processes for a figure's points. See figure_runs.hpp.
#include "tools/figure_runs.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>

#include "tools/experiment.hpp"

namespace racksim::tools {
namespace {

/// How often the progress is told while nothing ends.
constexpr int kPollMilliseconds = 200;

/// In the child: runs the point and says in JSON what came out.
std::string run_point(const Figure& figure, const FigurePoint& point) {
  JsonValue answer = JsonValue::object();
  try {
    Scenario scenario = point.scenario;
    scenario.observe.trace.clear();  // points would write over each other's
    sim::Metrics metrics;
    const RunResult result = run_experiment(scenario, metrics, "", {});
    JsonValue values = JsonValue::array();
    for (const std::string& name : figure.metric_names) {
      const auto value = metric_value(result, metrics, name);
      values.push(value && std::isfinite(*value) ? JsonValue(*value) : JsonValue());
    }
    answer.set("values", std::move(values));
    answer.set("hash", result.hash.hex());
    answer.set("pass", result.pass);
    if (!result.violations.empty()) {
      const sim::Violation& first = result.violations.front();
      answer.set("problem", fmt::format("{} at {} ns: {}", first.oracle, first.at.ns(), first.what));
    } else if (!result.failed_expectations.empty()) {
      answer.set("problem", result.failed_expectations.front());
    }
  } catch (const std::exception& error) {
    answer = JsonValue::object();
    answer.set("problem", error.what());
  }
  return to_canonical_json(answer);
}

void write_all(int pipe, const std::string& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = write(pipe, text.data() + written, text.size() - written);
    if (n < 0 && errno != EINTR) return;  // the parent is gone
    if (n > 0) written += static_cast<std::size_t>(n);
  }
}

std::string text_member(const JsonValue& object, const char* key) {
  const auto* value = object.find(key);
  return value && value->string() ? *value->string() : "";
}

/// What a child has said, or how it ended if it said nothing whole.
PointResult result_of(const std::string& text, int status, std::size_t metrics) {
  PointResult result;
  result.values.assign(metrics, std::nan(""));
  if (WIFSIGNALED(status)) {
    result.problem = fmt::format("the run was ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return result;
  }
  if (text.empty()) {
    result.problem = fmt::format("the run ended with status {} and no result", WEXITSTATUS(status));
    return result;
  }
  const JsonValue answer = parse_json(text, "result of a point");
  if (const auto* values = answer.find("values")) {
    for (std::size_t i = 0; i < metrics; ++i) {
      result.values[i] = (*values->elements())[i].number().value_or(std::nan(""));
    }
  }
  const auto* pass = answer.find("pass");
  result.pass = pass && pass->boolean() && *pass->boolean();
  result.hash = text_member(answer, "hash");
  result.problem = text_member(answer, "problem");
  return result;
}

struct Child {
  pid_t process = 0;
  int pipe = -1;
  std::size_t point = 0;
  std::string text;
};

Child start(const Figure& figure, std::size_t point) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error(fmt::format("no pipe to a run: {}", std::strerror(errno)));
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process < 0) throw std::runtime_error(fmt::format("no process for a run: {}", std::strerror(errno)));
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);  // the parent went before the line above
    close(ends[0]);
    write_all(ends[1], run_point(figure, figure.points[point]));
    _exit(0);
  }
  close(ends[1]);
  return {process, ends[0], point, ""};
}

/// Reads what there is; false at the end.
bool read_some(Child& child) {
  char buffer[4096];
  const ssize_t n = read(child.pipe, buffer, sizeof buffer);
  if (n > 0) child.text.append(buffer, static_cast<std::size_t>(n));
  return n > 0 || (n < 0 && errno == EINTR);
}

int wait_for(const Child& child) {
  close(child.pipe);
  int status = 0;
  while (waitpid(child.process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

std::vector<PointResult> run_points(const Figure& figure, unsigned jobs, const FigureProgress& progress) {
  std::vector<PointResult> results(figure.points.size());
  std::vector<Child> children;
  std::size_t next = 0, done = 0;
  while (done < results.size()) {
    while (next < results.size() && children.size() < jobs) children.push_back(start(figure, next++));
    if (progress) progress(done, results.size());
    std::vector<pollfd> pipes;
    for (const Child& child : children) pipes.push_back({child.pipe, POLLIN, 0});
    if (poll(pipes.data(), pipes.size(), kPollMilliseconds) <= 0) continue;
    for (std::size_t i = pipes.size(); i-- > 0;) {
      if (pipes[i].revents == 0 || read_some(children[i])) continue;
      const int status = wait_for(children[i]);
      results[children[i].point] = result_of(children[i].text, status, figure.metric_names.size());
      children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
      ++done;
    }
  }
  return results;
}

}  // namespace racksim::tools
