// A page opens no socket.
#ifndef KVB_WEB_SYS_SOCKET_H
#define KVB_WEB_SYS_SOCKET_H

#include <stddef.h>
#include <sys/types.h>

#define AF_UNIX 0
#define SOCK_STREAM 0
#define SOCK_CLOEXEC 0
#define SOL_SOCKET 0
#define SO_RCVTIMEO 0
#define SO_SNDTIMEO 0
#define MSG_NOSIGNAL 0
#define socketpair(family, kind, protocol, ends) ((void)(ends), -1)
#define setsockopt(socket, level, name, value, size) ((void)(socket), (void)(value), -1)
#define send(socket, text, length, flags) ((void)(socket), (void)(text), (ssize_t)-1)
#define recv(socket, text, length, flags) ((void)(socket), (void)(text), (ssize_t)-1)
#define shutdown(socket, how) ((void)(socket), -1)

#endif
