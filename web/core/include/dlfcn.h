// No library is loaded into a page.
#ifndef KVB_WEB_DLFCN_H
#define KVB_WEB_DLFCN_H

#include <stddef.h>

#define RTLD_NOW 0
#define RTLD_LOCAL 0
#define dlopen(path, flags) ((void)(path), (void)(flags), (void *)NULL)
#define dlsym(library, name) ((void)(library), (void)(name), (void *)NULL)
#define dlclose(library) ((void)(library))

#endif
