# Third-party headers come in as system headers. Warnings are errors in the presets that developers and CI use; a user's first
# build must not fail on what a newer compiler thinks.
add_library(cutelab_flags INTERFACE)
if(NOT CMAKE_UNITY_BUILD)
  set(one_file -Wshadow)
else()
  # Files that share a unit shadow one another's names and look like headers to GCC; the preset dev compiles each alone.
  set(one_file -Wno-subobject-linkage)
endif()
set(warnings -Wall -Wextra ${one_file} -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
    -Wno-restrict -Wno-maybe-uninitialized)  # GCC 12 cries wolf: std::string + literal, optional of a container
if(CMAKE_UNITY_BUILD AND NOT CUTELAB_TESTS)
  set(warnings -w)  # a user's build
endif()
target_compile_options(cutelab_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>")
if(CUTELAB_WARNINGS_ARE_ERRORS)
  target_compile_options(cutelab_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
target_compile_definitions(cutelab_flags INTERFACE CUTELAB_VERSION="${PROJECT_VERSION}")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_C_FLAGS_DEBUG "-O2 -g1")
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
# One jump less for each allocation and string of the program as users run it, 3 % of a reading; and it runs where the C++ library is older.
add_link_options($<$<CONFIG:Release>:-static-libstdc++> $<$<CONFIG:Release>:-Wl,--exclude-libs,libstdc++.a>)
if(CUTELAB_SANITIZE)
  # -Og compiles in less than half the time of -O1 here. AddressSanitizer sees what the three checks left out would see; they
  # cost a third of the compiler's time.
  set(CMAKE_CXX_FLAGS_DEBUG "-Og -g1")
  set(sanitizers -fsanitize=address,undefined -fno-sanitize=null,alignment,object-size -fno-sanitize-recover=all)
  # Sanitizer instrumentation misleads GCC's flow analysis (seen in <regex>): these stay warnings here, errors elsewhere.
  add_compile_options(-Wno-error=stringop-overflow -Wno-error=array-bounds
                      -Wno-error=restrict)
  add_compile_options(${sanitizers} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
if(CUTELAB_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
option(CUTELAB_CCACHE "use ccache where it is installed" ON)
find_program(CCACHE ccache)
if(CCACHE AND CUTELAB_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
elseif(NOT CMAKE_UNITY_BUILD)
  # A first build has no cache to help it: the headers that nearly every file includes are compiled once.
  set(CUTELAB_PRECOMPILED <fmt/format.h> <algorithm> <array> <cstdint> <functional> <map> <memory> <optional> <set> <string>
      <string_view> <unordered_map> <utility> <variant> <vector>)
endif()
