// What every unit test begins and ends with: cmocka, the headers it asks for, and the program's main.
#ifndef KVB_TESTS_TEST_H
#define KVB_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

// The last lines of a test file: KVB_TEST_MAIN(cmocka_unit_test(first), cmocka_unit_test(second))
#define KVB_TEST_MAIN(...) KVB_TEST_MAIN_WITH(NULL, NULL, __VA_ARGS__)

// The same with what is set up before all of them and taken down after.
#define KVB_TEST_MAIN_WITH(setup, teardown, ...)                                                                       \
    int main(void)                                                                                                     \
    {                                                                                                                  \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                                                               \
        return cmocka_run_group_tests(tests, setup, teardown);                                                         \
    }

#endif
