include_guard(GLOBAL)

# stcsim_collect_libraries(OUT DIRECTORY...): every static library at or below the directories, which
# must have been added before.
function(stcsim_collect_libraries out)
  set(libraries "")
  foreach(directory IN LISTS ARGN)
    get_property(targets DIRECTORY "${directory}" PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
      get_target_property(type ${target} TYPE)
      if(type STREQUAL "STATIC_LIBRARY")
        list(APPEND libraries ${target})
      endif()
    endforeach()
    get_property(subdirectories DIRECTORY "${directory}" PROPERTY SUBDIRECTORIES)
    stcsim_collect_libraries(below ${subdirectories})
    list(APPEND libraries ${below})
  endforeach()
  set(${out} ${libraries} PARENT_SCOPE)
endfunction()

# stcsim_all_libraries(OUT): all libraries of the simulator.
function(stcsim_all_libraries out)
  set(directories common pruning curves workloads models sim reports cli)
  list(TRANSFORM directories PREPEND "${PROJECT_SOURCE_DIR}/")
  stcsim_collect_libraries(libraries ${directories})
  set(${out} ${libraries} PARENT_SCOPE)
endfunction()
