# How every target of the project is compiled, and how a folder becomes a library.

find_program(RACKSIM_CCACHE ccache)
if(RACKSIM_CCACHE)
  # The same tree in another folder (a second clone, CI's) finds the objects again: ccache sees its paths relative to the
  # base directory, and the compiler's own record of the folder (debug information, __FILE__) is mapped away below. The
  # sloppiness is what ccache's manual asks for where headers are precompiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${RACKSIM_CCACHE})
endif()

add_library(racksim_options INTERFACE)
target_compile_options(racksim_options INTERFACE
  -Wall -Wextra -Wpedantic  # errors in the presets alone: another compiler's new warning stops no user
  # Fused multiply-add would give samplers other bits on another machine.
  -ffp-contract=off
  -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)  # what __FILE__ says is the same in every clone
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # gcc 12 sees overlaps in `"x" + std::string` that are not there (its bug 105651).
  target_compile_options(racksim_options INTERFACE -Wno-restrict)
endif()
target_include_directories(racksim_options INTERFACE ${PROJECT_SOURCE_DIR})
if(RACKSIM_SANITIZE)
  target_compile_options(racksim_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(racksim_options INTERFACE -fsanitize=address,undefined)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # gcc's own manual: sanitizers make these warnings see what is not there; gcc 12 does so even in libstdc++'s own
    # code (gcc bug 105562).
    target_compile_options(racksim_options INTERFACE -Wno-maybe-uninitialized -Wno-uninitialized)
  else()
    # Object pools are off under AddressSanitizer, which leaves some of their members unused. And the check of calls
    # through pointers of another type has clang 14 fail on coroutines ("a difference across sections").
    target_compile_options(racksim_options INTERFACE -Wno-unused-private-field -Wno-unused-const-variable
      -fno-sanitize=function)
    target_link_options(racksim_options INTERFACE -fno-sanitize=function)
  endif()
endif()
if(RACKSIM_FUZZERS)
  # Coverage for libFuzzer; its main function is linked to the targets of tests/fuzz alone.
  target_compile_options(racksim_options INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(racksim_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# racksim_precompile(TARGET [header...]): the target's sources find what nearly all of them include, and the headers named,
# already compiled, once for all targets that name none. Only headers from outside the project belong here. Tests always
# have it; the program's sources if RACKSIM_PRECOMPILE asks for it: the presets without it find those that rely on it
# instead of including. Clang does without: it writes its folder into what it precompiles, so that the objects of a second
# clone would not be found by ccache, and it finds the tests that rely on it.
function(racksim_precompile target)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  target_compile_options(${target} PRIVATE -fpch-preprocess)  # for ccache
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # In precompiled libstdc++ gcc 12 sees accesses beyond strings that are not there (its bugs 105329 and 105651).
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overread)
  endif()
  if(TARGET racksim_sim AND NOT target STREQUAL racksim_sim AND RACKSIM_PRECOMPILE AND NOT ARGN)
    target_precompile_headers(${target} REUSE_FROM racksim_sim)
    return()
  endif()
  target_precompile_headers(${target} PRIVATE
    <algorithm> <array> <coroutine> <cstdint> <deque> <functional> <map> <memory> <optional> <set> <stdexcept> <string>
    <string_view> <utility> <vector> <fmt/format.h> ${ARGN})
endfunction()

# racksim_compile_faster(TARGET): what RACKSIM_PRECOMPILE and RACKSIM_UNITY say, for a target of the program's sources. A
# source then shares its batch of twelve with others of its folder, whose anonymous namespaces are one.
function(racksim_compile_faster target)
  if(RACKSIM_PRECOMPILE)
    racksim_precompile(${target})
  endif()
  if(RACKSIM_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # It warns of a header's types in anonymous namespaces, and takes the sources of a batch for headers.
      target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    endif()
  endif()
endfunction()

# racksim_library(NAME [OBJECT] USES target...)
# Builds every .cpp under the current folder into racksim_NAME, but for those in a folder `loaded`, which are for modules
# that are loaded at run time. OBJECT keeps self-registering files in the program even though nobody calls them by name.
function(racksim_library name)
  cmake_parse_arguments(arg "OBJECT" "" "USES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  list(FILTER sources EXCLUDE REGEX "/loaded/")
  set(kind STATIC)
  if(arg_OBJECT)
    set(kind OBJECT)
  endif()
  if(sources)
    add_library(racksim_${name} ${kind} ${sources})
    target_link_libraries(racksim_${name} PUBLIC racksim_options ${arg_USES})
    racksim_compile_faster(racksim_${name})
    if(arg_OBJECT AND RACKSIM_MUTANTS)
      set_target_properties(racksim_${name} PROPERTIES UNITY_BUILD OFF)  # tests/mutants replaces single objects
    endif()
  else()
    add_library(racksim_${name} INTERFACE)
    target_link_libraries(racksim_${name} INTERFACE racksim_options ${arg_USES})
  endif()
endfunction()

# racksim_passes(TARGET GENERATOR name...): an object library of what the program GENERATOR (p4model/generate) writes for
# these programs and shapes, a file each.
function(racksim_passes target generator)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target})
  file(MAKE_DIRECTORY ${folder})
  set(sources ${ARGN})
  list(TRANSFORM sources REPLACE "(.+)" "${folder}/\\1.cpp")
  # Sources that stay as they are keep their time, so the command has a stamp of its own.
  add_custom_command(OUTPUT ${folder}/written BYPRODUCTS ${sources}
    COMMAND ${generator} ${folder} ${ARGN}
    COMMAND ${CMAKE_COMMAND} -E touch ${folder}/written
    DEPENDS ${generator}
    COMMENT "Writing passes of switch programs"
    VERBATIM)
  add_custom_target(${target}_written DEPENDS ${folder}/written)
  add_library(${target} OBJECT ${sources})
  add_dependencies(${target} ${target}_written)
  target_link_libraries(${target} PRIVATE racksim_options racksim_p4model racksim_sim fmt::fmt)
endfunction()

# racksim_link_whole(TARGET library...): links all of these libraries' objects, also those that nobody calls by name: they
# hold what registers itself (sim/options/registry.hpp). And links them first. Of an inline function that several objects
# have, the linker takes the first that it meets; tests are compiled with less optimisation than the program, or none, and
# would else run its hottest functions as slow copies of their own. A mutant brings its own objects of the layer that its
# property RACKSIM_REPLACES names (tests/mutants/below.cmake).
function(racksim_link_whole target)
  set(archives "")
  get_target_property(replaced ${target} RACKSIM_REPLACES)
  foreach(library IN LISTS ARGN)
    get_target_property(type ${library} TYPE)
    if(type STREQUAL STATIC_LIBRARY AND NOT library STREQUAL "racksim_${replaced}")
      string(APPEND archives " $<TARGET_FILE:${library}>")
    endif()
  endforeach()
  if(archives)
    target_link_options(${target} PRIVATE "SHELL:-Wl,--whole-archive${archives} -Wl,--no-whole-archive")
  endif()
endfunction()

# racksim_program(TARGET): a program with everything that `racksim` offers.
function(racksim_program target)
  target_link_libraries(${target} PRIVATE racksim_experiment)
  racksim_link_whole(${target} racksim_models racksim_p4model racksim_sim racksim_experiment)
endfunction()

# racksim_own(TARGET folder...): adds own parts to a program: every .cpp below these folders, which may lie outside of the
# tree. They register themselves, and may include each other by their path from the folder on.
function(racksim_own target)
  foreach(folder IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
    if(NOT sources)
      message(FATAL_ERROR "no .cpp below ${folder}, where own parts of racksim should be")
    endif()
    target_sources(${target} PRIVATE ${sources})
    target_include_directories(${target} PRIVATE ${folder})
  endforeach()
endfunction()
