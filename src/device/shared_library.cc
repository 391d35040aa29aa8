#include "device/shared_library.h"

#include <dlfcn.h>

namespace cutelab::device {

SharedLibrary::SharedLibrary(const std::string& path, Stay stay)
    : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | (stay == Stay::for_good ? RTLD_NODELETE : 0))) {
  if (handle_) return;
  const char* why = dlerror();
  missing_ = why ? why : "cannot be opened";
}

SharedLibrary::~SharedLibrary() {
  if (handle_) dlclose(handle_);
}

void* SharedLibrary::find(const char* symbol) const { return handle_ ? dlsym(handle_, symbol) : nullptr; }

}  // namespace cutelab::device
