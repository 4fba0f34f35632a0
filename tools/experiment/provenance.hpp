// Which build of racksim gave a result: it stands beside results in every `--json` and is told by `racksim --version`.
// Never part of what is compared: run hashes, baselines and configurations know nothing of it.
#pragma once

#include <string>
#include <vector>

#include "tools/json/json_document.hpp"

namespace racksim::tools {

struct Provenance {
  std::string version;     ///< of the program, such as "0.1.0"
  std::string commit;      ///< the full hash; "" if it was not known when the program was built
  bool modified = false;   ///< whether files that git knows differed from that commit
  std::string compiler;    ///< "gcc 12.2.0"
  std::string build_type;  ///< CMake's, such as "Release", and "with sanitizers" if it has them
};

/// Of this program.
Provenance provenance();

/// Keys: version, commit (null if it is not known), modified, compiler, build_type.
JsonValue provenance_json(const Provenance& provenance = tools::provenance());

/// "racksim 0.1.0 (commit 4f2a..., with changes; gcc 12.2.0, Release)".
std::string provenance_text(const Provenance& provenance = tools::provenance());

/// Which files a run was put together from: their paths, as they were read, with the SHA-256 of their bytes (null of
/// what is no regular file, and so cannot be read twice). To be asked when they have just been read.
JsonValue inputs_json(const std::vector<std::string>& files);

}  // namespace racksim::tools
