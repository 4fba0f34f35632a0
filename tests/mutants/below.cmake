# Mutants of what protocols are built on: patches tests/mutants/LAYER/NAME.patch, where LAYER is sim, p4model or models.
# Each is two programs, which have a patched copy of a source in place of the original: racksim_mutant_LAYER_NAME, which
# is `racksim`, and test_mutant_LAYER_NAME, which are the unit tests of the layer.

set(layers sim p4model models)  # lowest first

# racksim_includers(OUT header...): the sources in the folders of these headers that include them, directly or not.
function(racksim_includers out)
  set(sources "")
  foreach(header IN LISTS ARGN)
    get_filename_component(folder ${header} DIRECTORY)
    file(GLOB files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/${folder}/*.?pp)
    set(latest ${header})
    while(latest)
      list(REMOVE_ITEM files ${latest})
      list(JOIN latest "|" any)
      set(latest "")
      foreach(file IN LISTS files)
        file(STRINGS ${PROJECT_SOURCE_DIR}/${file} found REGEX "^#include \"(${any})\"")
        if(found)
          list(APPEND latest ${file})
        endif()
      endforeach()
      list(APPEND sources ${latest})
    endwhile()
  endforeach()
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

# racksim_mutant_below(PATCH LAYER NAME): adds both programs.
function(racksim_mutant_below patch layer name)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${layer}-${name})
  file(STRINGS ${patch} patched REGEX "^\\+\\+\\+ b/")
  list(TRANSFORM patched REPLACE "^\\+\\+\\+ b/([^ \t]*).*" "\\1")
  set(headers ${patched})
  list(FILTER headers INCLUDE REGEX "\\.hpp$")

  # What is compiled anew: the patched sources, and of a patched header what includes it in its folder. All other
  # objects are those of the original. So other folders, and tests, keep their own copies of a header's inline
  # functions: a patch should change none that they call, and no class that they lay out.
  set(changed ${patched})
  list(FILTER changed INCLUDE REGEX "\\.cpp$")
  racksim_includers(including ${headers})
  list(APPEND changed ${including})
  list(REMOVE_DUPLICATES changed)

  # Their originals have to be objects of their own.
  set(alone ${changed})
  list(TRANSFORM alone PREPEND ${PROJECT_SOURCE_DIR}/)
  set_source_files_properties(${alone} TARGET_DIRECTORY racksim_${layer} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set(replaced ${changed})
  list(TRANSFORM replaced REPLACE "^${layer}/(.*)" "/racksim_${layer}.dir/(./)?\\1.o$")
  list(JOIN replaced "|" replaced)
  set(kept "$<FILTER:$<TARGET_OBJECTS:racksim_${layer}>,EXCLUDE,${replaced}|\\.gch$>")

  set(originals ${patched})
  list(TRANSFORM originals PREPEND ${PROJECT_SOURCE_DIR}/)
  set(copies ${patched})
  list(TRANSFORM copies PREPEND ${folder}/)
  add_custom_command(OUTPUT ${copies}
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/apply ${patch} ${folder}
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/apply ${patch} ${originals}
    COMMENT "Copying what is patched of ${layer} with the mistake ${name}"
    VERBATIM)
  set(sources ${changed})
  foreach(file IN LISTS patched)
    list(TRANSFORM sources REPLACE "^${file}$" "${folder}/${file}")
  endforeach()
  list(TRANSFORM sources REPLACE "^${layer}/" "${PROJECT_SOURCE_DIR}/${layer}/")

  set(objects mutant_${layer}_${name})
  add_library(${objects} OBJECT EXCLUDE_FROM_ALL ${sources} ${copies})
  target_link_libraries(${objects} PRIVATE racksim_${layer})
  racksim_compile_faster(${objects})
  target_include_directories(${objects} BEFORE PRIVATE ${folder})
  set(own "$<FILTER:$<TARGET_OBJECTS:${objects}>,INCLUDE,\\.o$>")

  add_executable(racksim_${objects} EXCLUDE_FROM_ALL ${own} ${kept} $<TARGET_OBJECTS:racksim>)
  set_target_properties(racksim_${objects} PROPERTIES RACKSIM_REPLACES ${layer})
  racksim_program(racksim_${objects})

  list(FIND layers ${layer} place)
  list(SUBLIST layers 0 ${place} below)
  list(TRANSFORM below PREPEND racksim_)
  add_executable(test_${objects} EXCLUDE_FROM_ALL
    ${own} ${kept} "$<FILTER:$<TARGET_OBJECTS:test_${layer}>,INCLUDE,\\.o$>")
  target_link_libraries(test_${objects} PRIVATE catch_main racksim_${layer})
  if(layer STREQUAL p4model)
    target_link_libraries(test_${objects} PRIVATE $<TARGET_OBJECTS:test_passes>)  # its tests' own, of the original
  endif()
  racksim_link_whole(test_${objects} ${below})
endfunction()
