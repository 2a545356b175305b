// Nothing interrupts a page's call.
#ifndef KVB_WEB_SIGNAL_H
#define KVB_WEB_SIGNAL_H

typedef int sig_atomic_t;
typedef unsigned sigset_t;

struct sigaction {
    void (*sa_handler)(int signal);
    sigset_t sa_mask;
    int sa_flags;
};

#define SIGINT 2
#define SIGKILL 9
#define SIGPIPE 13
#define SIGTERM 15
#define SIG_IGN ((void (*)(int))0)
#define SIG_DFL ((void (*)(int))0)
#define sigaction(signal, action, old) ((void)(signal), (void)(action), (void)(old), 0)
#define sigemptyset(set) (*(set) = 0)
#define sigaddset(set, signal) (*(set) |= 1U << (signal), 0)
#define kill(process, signal) ((void)(process), (void)(signal), 0)

#endif
