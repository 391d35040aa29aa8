# cutelab_room(NAME ROOMS a b … EXTERNAL libs …)
# One static library per folder of src/. Sources are globbed, so adding a file needs no edit here. A room without a source
# yet is an interface library. NAME's public headers are included as "NAME/header.h". COLD: hardly any time of a run is spent
# in its code, so the release build compiles it at -Og, which takes GCC half the time of -O2; WARM is -O1, in between; HOT
# lists files that are the exception.
function(cutelab_room name)
  cmake_parse_arguments(ARG "COLD;WARM" "" "ROOMS;EXTERNAL;HOT" ${ARGN})
  set(dir "${CMAKE_SOURCE_DIR}/src/${name}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${dir}/*.cc")
  list(FILTER sources EXCLUDE REGEX "/src/cli/main\\.cc$")
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${dir}/*.h")
  set(links "")
  foreach(room ${ARG_ROOMS})
    list(APPEND links room_${room})
  endforeach()
  if(sources)
    add_library(room_${name} STATIC ${sources})
    target_link_libraries(room_${name} PUBLIC ${links} ${ARG_EXTERNAL} PRIVATE cutelab_flags)
    target_include_directories(room_${name} PUBLIC "${CMAKE_SOURCE_DIR}/src" PRIVATE "${CMAKE_BINARY_DIR}/generated")
    if(ARG_COLD)
      target_compile_options(room_${name} PRIVATE $<$<CONFIG:Release>:-Og>)
    elseif(ARG_WARM)
      target_compile_options(room_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
    endif()
    foreach(file ${ARG_HOT})
      set_source_files_properties("${dir}/${file}" PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O2>")
    endforeach()
    if(CUTELAB_PRECOMPILED AND TARGET room_base AND NOT name STREQUAL "base")
      target_precompile_headers(room_${name} REUSE_FROM room_base)
    elseif(CUTELAB_PRECOMPILED)
      target_precompile_headers(room_${name} PRIVATE ${CUTELAB_PRECOMPILED})
    endif()
  else()
    add_library(room_${name} INTERFACE)
    target_link_libraries(room_${name} INTERFACE ${links} ${ARG_EXTERNAL})
    target_include_directories(room_${name} INTERFACE "${CMAKE_SOURCE_DIR}/src")
  endif()
  set_property(GLOBAL APPEND PROPERTY CUTELAB_ROOMS ${name})
  set_property(GLOBAL PROPERTY CUTELAB_HEADERS_${name} "${headers}")
endfunction()

# The program itself: main.cc over the cli room. The rooms that a reading runs in stand before the archives of all others:
# of a template that is compiled in several rooms the linker keeps the first, which then is not one of a COLD room.
function(cutelab_program)
  if(EXISTS "${CMAKE_SOURCE_DIR}/src/cli/main.cc")
    add_executable(cutelab "${CMAKE_SOURCE_DIR}/src/cli/main.cc" $<TARGET_OBJECTS:room_reading> $<TARGET_OBJECTS:room_source>
                           $<TARGET_OBJECTS:room_layout> $<TARGET_OBJECTS:room_base>)
    target_link_libraries(cutelab PRIVATE room_cli cutelab_kernels cutelab_flags)
    set_target_properties(cutelab PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
  endif()
endfunction()

# Every public header compiles alone.
function(cutelab_header_self_test)
  get_property(rooms GLOBAL PROPERTY CUTELAB_ROOMS)
  foreach(room ${rooms})
    get_property(headers GLOBAL PROPERTY CUTELAB_HEADERS_${room})
    set(units "")
    foreach(header ${headers})
      file(RELATIVE_PATH rel "${CMAKE_SOURCE_DIR}/src" "${header}")
      string(REPLACE "/" "_" flat "${rel}")
      set(unit "${CMAKE_BINARY_DIR}/header_self_test/${flat}.cc")
      file(GENERATE OUTPUT "${unit}" CONTENT "#include \"${rel}\"\n#include \"${rel}\"\n")
      list(APPEND units "${unit}")
    endforeach()
    if(units)
      add_library(headers_${room} OBJECT ${units})
      set_target_properties(headers_${room} PROPERTIES UNITY_BUILD OFF)  # each alone is the point
      target_link_libraries(headers_${room} PRIVATE room_${room} cutelab_flags)
      target_compile_options(headers_${room} PRIVATE -fsyntax-only)
      # -fsyntax-only writes no object; touch one so that the build system is content.
      set_target_properties(headers_${room} PROPERTIES CXX_COMPILER_LAUNCHER
                            "${CMAKE_SOURCE_DIR}/tools/check/compile-header.sh")
    endif()
  endforeach()
endfunction()

# tests/<room>/**/*.cc make one GoogleTest program per room; "no tests found" is an error in the presets.
function(cutelab_tests)
  get_property(rooms GLOBAL PROPERTY CUTELAB_ROOMS)
  include(GoogleTest)
  file(GLOB support CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/support/*.cc")
  foreach(room ${rooms})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/${room}/*.cc")
    if(sources)
      add_executable(test_${room} ${sources} ${support})
      target_link_libraries(test_${room} PRIVATE room_${room} nlohmann_json::nlohmann_json GTest::gtest GTest::gtest_main
                            cutelab_flags)
      target_include_directories(test_${room} PRIVATE "${CMAKE_SOURCE_DIR}/tests")
      target_compile_definitions(test_${room} PRIVATE CUTELAB_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                                 CUTELAB_DEPS_DIR="${CUTELAB_DEPS}")
      gtest_discover_tests(test_${room} TEST_PREFIX "${room}/" DISCOVERY_MODE PRE_TEST PROPERTIES LABELS ${room})
    endif()
  endforeach()
  # Against compiled CuTe C++: a small sample with every test run, the full comparison under the label `slow`.
  set(verify "${CMAKE_SOURCE_DIR}/tools/verify")
  add_test(NAME layout/against-cute COMMAND python3 "${verify}/layout_against_cute.py" --cutelab "$<TARGET_FILE:cutelab>" --cases 60)
  add_test(NAME layout/against-cute-full COMMAND python3 "${verify}/layout_against_cute.py" --cutelab "$<TARGET_FILE:cutelab>"
           --cases 21500 --jobs 2 --refused-sample 60)
  add_test(NAME layout/atoms-against-cute COMMAND python3 "${verify}/layout_atoms_against_cute.py" --cutelab
           "$<TARGET_FILE:cutelab>")
  set_tests_properties(layout/against-cute layout/against-cute-full layout/atoms-against-cute PROPERTIES SKIP_RETURN_CODE 77
                       ENVIRONMENT "CUTELAB_DEPS=${CUTELAB_DEPS}")
  # `cutelab test` names those of the label `hours` as skipped.
  set_tests_properties(layout/against-cute-full layout/atoms-against-cute PROPERTIES LABELS "slow;hours" TIMEOUT 7200)
  add_test(NAME checks COMMAND python3 "${CMAKE_SOURCE_DIR}/tools/check/all" --sources)
  foreach(suite capture check cli setup)  # python3's unittest: the tools that guard and install the program
    file(GLOB scripts CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/${suite}/test_*.py")
    foreach(script ${scripts})
      get_filename_component(name "${script}" NAME_WE)
      add_test(NAME "tools/${suite}/${name}" COMMAND python3 "${script}")
      set_tests_properties("tools/${suite}/${name}" PROPERTIES ENVIRONMENT "CUTELAB_TEST_PROGRAM=${CMAKE_BINARY_DIR}/cutelab")
    endforeach()
  endforeach()
  add_test(NAME examples/compile COMMAND python3 "${CMAKE_SOURCE_DIR}/tests/examples/compile_examples.py")
  set_tests_properties(examples/compile PROPERTIES SKIP_RETURN_CODE 77 LABELS slow
                       ENVIRONMENT "CUTELAB_DEPS=${CUTELAB_DEPS}")
  add_test(NAME capture/hostile COMMAND python3 "${CMAKE_SOURCE_DIR}/tests/capture/hostile_programs.py" "$<TARGET_FILE:cutelab>")
  add_test(NAME capture/killed-sweep COMMAND python3 "${CMAKE_SOURCE_DIR}/tests/capture/killed_sweep.py" "$<TARGET_FILE:cutelab>")
  set_tests_properties(capture/killed-sweep PROPERTIES SKIP_RETURN_CODE 77 LABELS slow TIMEOUT 600)
  add_test(NAME capture/recipes COMMAND python3 "${CMAKE_SOURCE_DIR}/tests/capture/recipes.py" "$<TARGET_FILE:cutelab>")
  set_tests_properties(capture/recipes PROPERTIES SKIP_RETURN_CODE 77 LABELS slow TIMEOUT 1800
                       ENVIRONMENT "CUTELAB_DEPS=${CUTELAB_DEPS}")
  add_test(NAME capture/dsl COMMAND test_capture --gtest_also_run_disabled_tests "--gtest_filter=DISABLED_Dsl.*")
  set_tests_properties(capture/dsl PROPERTIES LABELS slow TIMEOUT 1800)
  add_test(NAME compiled/own-kernels COMMAND python3 "${CMAKE_SOURCE_DIR}/tests/compiled/own_kernels.py" "$<TARGET_FILE:cutelab>")
  set_tests_properties(compiled/own-kernels PROPERTIES SKIP_RETURN_CODE 77 LABELS slow TIMEOUT 1800
                       ENVIRONMENT "CUTELAB_DEPS=${CUTELAB_DEPS}")
  set_tests_properties(capture/hostile PROPERTIES SKIP_RETURN_CODE 77 LABELS slow TIMEOUT 1800
                       ENVIRONMENT "CUTELAB_DEPS=${CUTELAB_DEPS}")
  add_test(NAME cli/golden COMMAND python3 "${CMAKE_SOURCE_DIR}/tests/cli/run_golden.py" "$<TARGET_FILE:cutelab>")
endfunction()
