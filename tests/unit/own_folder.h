// A temporary folder of the test's own, which is gone behind the last of its tests.
#ifndef KVB_TESTS_OWN_FOLDER_H
#define KVB_TESTS_OWN_FOLDER_H

#include <stdio.h>
#include <stdlib.h>

#include "unit/test.h"

static char root[64] = "/tmp/kvbudget-test-XXXXXX";

static inline int make_bare_root(void **state)
{
    (void)state;
    return mkdtemp(root) == NULL;
}

static inline int remove_root(void **state)
{
    (void)state;
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

#endif
