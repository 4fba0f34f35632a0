// Running gnuplot.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/plot/plot.hpp"

namespace racksim::tools {

/// What a person is told where it is missing.
inline constexpr const char* kInstallGnuplot = "gnuplot is missing; install it (Debian: gnuplot-nox)";

/// Whether it can be started.
bool gnuplot_is_there();

/// The files of a plot in a folder: FOLDER/NAME.gp, and the pictures.
std::vector<std::filesystem::path> plot_files(const std::filesystem::path& folder, const std::string& name);

/// Throws what writing these files would throw, before work is spent on them.
void check_plot_files(const std::filesystem::path& folder, const std::string& name, const std::string& command,
                      const std::string& option);

/// Writes a plot's script and draws its pictures with gnuplot. Without gnuplot only the script is written, and a line
/// that says what to install is returned; else an empty text. Throws InputError and OutputError as write_file does, and
/// std::runtime_error with gnuplot's words if it fails.
std::string draw_plot(const Plot& plot, const std::filesystem::path& folder, const std::string& name,
                      const std::string& command, const std::string& option);

}  // namespace racksim::tools
