// gnuplot draws to its standard output, so that pictures are written as all files are. See gnuplot.hpp.
#include "tools/plot/gnuplot.hpp"

#include <fmt/core.h>

#include <stdexcept>

#include "tools/files/write_file.hpp"
#include "tools/plot/plot_script.hpp"
#include "tools/processes/child_process.hpp"

namespace racksim::tools {

bool gnuplot_is_there() {
  return run_program({"gnuplot", "--version"}).started;
}

std::vector<std::filesystem::path> plot_files(const std::filesystem::path& folder, const std::string& name) {
  std::vector<std::filesystem::path> files{folder / (name + ".gp")};
  for (const char* format : kPlotFormats) files.push_back(folder / (name + "." + format));
  return files;
}

void check_plot_files(const std::filesystem::path& folder, const std::string& name, const std::string& command,
                      const std::string& option) {
  for (const auto& file : plot_files(folder, name)) check_output(file, command, option);
}

std::string draw_plot(const Plot& plot, const std::filesystem::path& folder, const std::string& name,
                      const std::string& command, const std::string& option) {
  const auto files = plot_files(folder, name);
  write_file(files[0], plot_script(plot, name), command, option);
  for (std::size_t i = 1; i < files.size(); ++i) {
    // -d: without what a person's own start-up files say. An absolute path is no option.
    const ProgramEnd end = run_program({"gnuplot", "-d", "-e", fmt::format("only='{}'", kPlotFormats[i - 1]),
                                        std::filesystem::absolute(files[0]).string()});
    if (!end.started) {
      return fmt::format("no pictures beside {}: {}, then run: gnuplot {}", files[0].string(), kInstallGnuplot,
                         files[0].filename().string());
    }
    if (end.status != 0 || end.output.empty()) {
      throw std::runtime_error(fmt::format("gnuplot could not draw {}: {}", files[0].string(), end.errors));
    }
    write_file(files[i], end.output, command, option);
  }
  return "";
}

}  // namespace racksim::tools
