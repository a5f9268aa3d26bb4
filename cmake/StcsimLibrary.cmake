option(STCSIM_UNITY_BUILD "Compile up to two dozen files at a time (more than twice as fast)" ON)

# stcsim_unity(TARGET): as the option says, in batches of equal size. Names in anonymous namespaces are then shared by
# the files of a folder.
function(stcsim_unity target)
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources count)
  math(EXPR batches "(${count} + 23) / 24")
  math(EXPR size "(${count} + ${batches} - 1) / ${batches}")
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${STCSIM_UNITY_BUILD} UNITY_BUILD_BATCH_SIZE ${size})
endfunction()

set(STCSIM_EDGE_OPTIONS "" CACHE STRING "Compiler options of what is not simulated, after the build type's")

# stcsim_library(NAME ROOM room [FOLDERS ...|SOURCES ...] [LINK ...]): one static library of all sources in the room's
# folder, or in these, or of the sources given.
# Every library first checks that its room includes only what it may (CheckIncludes.cmake).
function(stcsim_library name)
  cmake_parse_arguments(ARG "" "ROOM" "FOLDERS;SOURCES;LINK" ${ARGN})
  if(NOT ARG_FOLDERS)
    set(ARG_FOLDERS ${ARG_ROOM})
  endif()
  if(NOT ARG_SOURCES)
    foreach(folder IN LISTS ARG_FOLDERS)
      file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/*.cpp")
      list(APPEND ARG_SOURCES ${sources})
    endforeach()
  endif()
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  stcsim_warnings(${name})
  if(ARG_ROOM MATCHES "^(cli|reports|curves|workloads|common/io|sim/[^krf])")
    target_compile_options(${name} PRIVATE ${STCSIM_EDGE_OPTIONS})
  endif()
  stcsim_unity(${name})
  add_custom_target(${name}_includes
    COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DROOM=${ARG_ROOM}
            -P ${PROJECT_SOURCE_DIR}/cmake/CheckIncludes.cmake
    COMMENT "Checking include directions of ${ARG_ROOM}/")
  add_dependencies(${name} ${name}_includes)
endfunction()

function(stcsim_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    -Wsign-conversion -Wold-style-cast -Wnon-virtual-dtor -Woverloaded-virtual)
  # GCC 12 warns of overlapping copies in std::string's operator+ that cannot happen (GCC bug 105651).
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
  if(STCSIM_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
