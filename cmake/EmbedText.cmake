# cutelab_embed(TARGET HEADER VARIABLE FILE)
# FILE's text becomes `inline constexpr std::string_view cutelab::embedded::VARIABLE` in <generated/HEADER>.
function(cutelab_embed target header variable file)
  set(out "${CMAKE_BINARY_DIR}/generated/generated/${header}")
  add_custom_command(OUTPUT "${out}"
    COMMAND python3 "${CMAKE_SOURCE_DIR}/cmake/embed_text.py" "${variable}" "${file}" "${out}"
    DEPENDS "${file}" "${CMAKE_SOURCE_DIR}/cmake/embed_text.py" VERBATIM)
  target_sources(${target} PRIVATE "${out}")
  target_include_directories(${target} PRIVATE "${CMAKE_BINARY_DIR}/generated")
endfunction()
