# cmake -D SOURCE=folder -D OUTPUT=file -P commit.cmake
#
# Writes a source that says of which commit the folder is and whether it was changed since. Run by every build; the file is
# touched only when it would change, so that nothing else is compiled again. Without git, or outside a repository of its
# own (an unpacked archive inside another project's), the commit is unknown.
cmake_minimum_required(VERSION 3.25)
find_program(GIT git)
set(commit "")
set(modified false)
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-toplevel HEAD
    OUTPUT_VARIABLE found RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REPLACE "\n" ";" found "${found}")
  list(LENGTH found parts)
  if(NOT failed AND parts EQUAL 2)
    list(GET found 0 top)
    file(REAL_PATH ${SOURCE} source)
    if(top STREQUAL source)
      list(GET found 1 commit)
      execute_process(COMMAND ${GIT} -C ${SOURCE} --no-optional-locks status --porcelain --untracked-files=no
        OUTPUT_VARIABLE changes RESULT_VARIABLE failed ERROR_QUIET)
      if(failed OR changes)
        set(modified true)
      endif()
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT "// Written by cmake/commit.cmake.
#include \"tools/experiment/commit.hpp\"

namespace racksim::tools {

const char* const kCommit = \"@commit@\";
const bool kTreeModified = @modified@;

}  // namespace racksim::tools
")
