// generate_passes FOLDER NAME...: writes the passes of programs and shapes that are registered in it
// (p4model/execute/registry.hpp) into FOLDER/NAME.cpp, those of each form once. The build runs it (racksim_passes in
// cmake/); a file that would stay as it is is not touched, so that nothing is compiled anew.
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "p4model/execute/pipeline.hpp"
#include "p4model/execute/registry.hpp"
#include "p4model/generate/pass_writer.hpp"

namespace {

using namespace racksim;

std::shared_ptr<const p4::Program> made(const std::string& name) {
  if (const auto* entry = sim::Registry<p4::ProgramEntry>::find(name)) return entry->make();
  if (const auto* shape = sim::Registry<p4::ShippedShape>::find(name)) return shape->make();
  throw std::runtime_error("no program and no shape is registered as " + name);
}

void write_if_new(const std::string& file, const std::string& text) {
  std::ifstream old(file);
  if (old && std::string(std::istreambuf_iterator<char>(old), {}) == text) return;
  std::ofstream written(file);
  written << text;
  written.close();
  if (!written) throw std::runtime_error("cannot write " + file);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::set<std::uint64_t> forms;
    for (int i = 2; i < argc; ++i) {
      const std::string name = argv[i];
      const auto form = p4::LoadedProgram(made(name)).form();
      const bool is_new = forms.insert(p4::fingerprint(form)).second;
      write_if_new(std::string(argv[1]) + "/" + name + ".cpp",
                   is_new ? p4::passes_as_source(form, name) : "// " + name + " has the form of another one.\n");
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "generate_passes: %s\n", error.what());
    return 1;
  }
}
