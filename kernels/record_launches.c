// Tells which launches a call of a program's host function makes, without a GPU: a process of its own, so that whatever that function
// does ends it alone. record_launches LIBRARY BLOCK: loads the library (example_door.cuh), calls it with the block of arguments in the
// file BLOCK and prints a line for each launch. Exit status: 0, 1 = it cannot be loaded or read, 2 = the call failed (stderr: how).
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { most_bytes = 1 << 20 };

int main(int argc, char** argv) {
  if (argc != 3) return 1;
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  FILE* file = fopen(argv[2], "rb");
  char* block = malloc(most_bytes);
  char* told = malloc(most_bytes);
  if (!library || !file || !block || !told) {
    fprintf(stderr, "%s\n", library ? "the block of arguments cannot be read" : dlerror());
    return 1;
  }
  const size_t bytes = fread(block, 1, most_bytes, file);
  fclose(file);
  int (*record)(const void*, unsigned long long, char*, unsigned long long);
  const char* (*text)(int);
  *(void**)&record = dlsym(library, "cutelab_record_launches");
  *(void**)&text = dlsym(library, "cutelab_error_text");
  if (!record || !text) {
    fprintf(stderr, "the library has no cutelab_record_launches\n");
    return 1;
  }
  const int code = record(block, bytes, told, most_bytes);
  if (code) {
    fprintf(stderr, "cudaError %d: %s\n", code, text(code));
    return 2;
  }
  fputs("launches:\n", stdout);  // the program may have printed something before
  fputs(told, stdout);
  fflush(stdout);
  _Exit(0);  // what the library would do at its end is of no interest
}
