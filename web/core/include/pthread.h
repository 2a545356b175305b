// A browser's page has one thread: nothing starts another, and no lock is ever contended.
#ifndef KVB_WEB_PTHREAD_H
#define KVB_WEB_PTHREAD_H

#include <errno.h>

typedef int pthread_t;
typedef int pthread_mutex_t;
typedef int pthread_cond_t;

#define PTHREAD_MUTEX_INITIALIZER 0

#define pthread_create(thread, attributes, start, argument)                                                            \
    (*(thread) = 0, (void)(attributes), (void)(start), (void)(argument), EAGAIN)
#define pthread_join(thread, result) ((void)(thread), (void)(result), 0)
#define pthread_mutex_init(mutex, attributes) (*(mutex) = 0)
#define pthread_mutex_destroy(mutex) (*(mutex) = 0)
#define pthread_mutex_lock(mutex) (*(mutex) = 1, 0)
#define pthread_mutex_unlock(mutex) (*(mutex) = 0)
#define pthread_cond_init(condition, attributes) (*(condition) = 0)
#define pthread_cond_destroy(condition) (*(condition) = 0)
#define pthread_cond_wait(condition, mutex) (*(condition) = 0, *(mutex) = 1, 0)
#define pthread_cond_broadcast(condition) (*(condition) = 0)
#define pthread_cond_signal(condition) (*(condition) = 0)

#endif
