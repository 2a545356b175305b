// What stands around the declarations of every public header: names as C has them, seen outside the shared library.
// Everything else in the library is hidden.
#ifndef KVBUDGET_EXPORT_H
#define KVBUDGET_EXPORT_H

#ifdef __cplusplus
#define KVB_PUBLIC_BEGIN                                                                                               \
    extern "C" {                                                                                                       \
    _Pragma("GCC visibility push(default)")
#define KVB_PUBLIC_END                                                                                                 \
    _Pragma("GCC visibility pop")                                                                                      \
    }
#else
#define KVB_PUBLIC_BEGIN _Pragma("GCC visibility push(default)")
#define KVB_PUBLIC_END _Pragma("GCC visibility pop")
#endif

#endif
