# tree-sitter's C core and its Python and CUDA C++ grammars, from the source distributions that `cutelab setup` unpacks.
set(core "${CUTELAB_DEPS}/tree-sitter")
set(python "${CUTELAB_DEPS}/tree-sitter-python")
set(cuda "${CUTELAB_DEPS}/tree-sitter-cuda")
foreach(needed "${core}/lib/src/lib.c" "${python}/src/parser.c" "${cuda}/src/parser.c")
  if(NOT EXISTS "${needed}")
    message(FATAL_ERROR "tree-sitter sources are missing (${needed}). Run `./cutelab setup` in ${CMAKE_SOURCE_DIR}.")
  endif()
endforeach()
add_library(tree-sitter STATIC "${core}/lib/src/lib.c" "${python}/src/parser.c" "${python}/src/scanner.c"
            "${cuda}/src/parser.c" "${cuda}/src/scanner.c")
target_include_directories(tree-sitter SYSTEM PUBLIC "${core}/lib/include")
target_include_directories(tree-sitter PRIVATE "${core}/lib/src")
# The Python grammar's sources are older than the core: they compile against the parser.h of their own time.
set_source_files_properties("${python}/src/parser.c" "${python}/src/scanner.c" PROPERTIES
                            INCLUDE_DIRECTORIES "${CUTELAB_DEPS}/tree-sitter-abi14")
set_source_files_properties("${cuda}/src/parser.c" "${cuda}/src/scanner.c" PROPERTIES INCLUDE_DIRECTORIES "${cuda}/src")
target_compile_options(tree-sitter PRIVATE -w)
set_target_properties(tree-sitter PROPERTIES UNITY_BUILD OFF)  # its files share names
