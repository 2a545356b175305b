// No program was started: there is none to wait for.
#ifndef KVB_WEB_SYS_WAIT_H
#define KVB_WEB_SYS_WAIT_H

#include <sys/types.h>

#define waitpid(process, status, options) ((void)(process), *(status) = 0, (void)(options), (pid_t)0)
#define WIFEXITED(status) ((status) == 0)
#define WEXITSTATUS(status) (status)
#define WIFSIGNALED(status) ((status) != 0)
#define WTERMSIG(status) (status)

#endif
