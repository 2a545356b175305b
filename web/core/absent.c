// What a page has not, and what it therefore says.
#include "absent.h"

#include <errno.h>
#include <stddef.h>

#include <kvbudget/problem.h>

#include "gate/policy_write.h"

char *realpath(const char *path, char *resolved)
{
    (void)path;
    (void)resolved;
    errno = ENOTSUP;
    return NULL;
}

int pipe(int ends[2])
{
    ends[0] = ends[1] = -1;
    errno = ENOTSUP;
    return -1;
}

int fchmod(int descriptor, unsigned mode)
{
    (void)descriptor;
    (void)mode;
    errno = ENOTSUP;
    return -1;
}

// Requests write no file, so that nothing asks for the lines of one; libcyaml stays out of the page.
enum kvb_status kvb_policy_write(struct kvb_buffer *out, const struct kvb_policy_lines *lines,
                                 struct kvb_problems *problems)
{
    (void)out;
    (void)lines;
    return kvb_problem_add(problems, KVB_ERROR, KVB_BAD_ARGUMENT, (struct kvb_place){0},
                           "no policy is written in a browser");
}
