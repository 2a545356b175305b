// A browser's page starts no program: every try says so.
#ifndef KVB_WEB_SPAWN_H
#define KVB_WEB_SPAWN_H

#include <errno.h>

typedef int posix_spawn_file_actions_t;
typedef int posix_spawnattr_t;

#define POSIX_SPAWN_SETSIGDEF 0
#define posix_spawn_file_actions_init(actions) (*(actions) = 0, ENOTSUP)
#define posix_spawn_file_actions_destroy(actions) (*(actions) = 0)
#define posix_spawn_file_actions_adddup2(actions, from, to) (*(actions) = 0, (void)(from), (void)(to), ENOTSUP)
#define posix_spawn_file_actions_addopen(actions, to, path, flags, mode)                                               \
    (*(actions) = 0, (void)(to), (void)(path), (void)(flags), (void)(mode), ENOTSUP)
#define posix_spawnattr_init(attributes) (*(attributes) = 0, ENOTSUP)
#define posix_spawnattr_destroy(attributes) (*(attributes) = 0)
#define posix_spawnattr_setsigdefault(attributes, set) (*(attributes) = 0, (void)(set), ENOTSUP)
#define posix_spawnattr_setflags(attributes, flags) (*(attributes) = (flags), ENOTSUP)
#define posix_spawn(process, path, actions, attributes, words, environment)                                            \
    (*(process) = 0, (void)(path), (void)(actions), (void)(attributes), (void)(words), (void)(environment), ENOTSUP)
#define posix_spawnp posix_spawn

#endif
