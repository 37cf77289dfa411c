/* As much of Criterion as the tests here use, for programs under ThreadSanitizer: the library itself does not run
 * there, since its worker processes are no plain forks. Each test runs in a process of its own; its end is its result.
 */
#ifndef REPRISE_TESTS_TSAN_CRITERION_H
#define REPRISE_TESTS_TSAN_CRITERION_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tsan_suite {
    const char *name;
    void (*init)(void), (*fini)(void);
    double timeout;
    struct tsan_suite *next;
};
struct tsan_test {
    const char *suite, *name;
    void (*run)(void), (*init)(void), (*fini)(void);
    double timeout; /* not looked at */
    struct tsan_test *next;
};
void tsan_add_test(struct tsan_test *);
void tsan_add_suite(struct tsan_suite *);
/* Notes a failure; ends the test if it is `fatal`. */
void tsan_failed(bool fatal, const char *file, int line, const char *what, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
_Noreturn void tsan_skip(void);

#define TestSuite(suite_name, ...)                                                                                     \
    __attribute__((constructor)) static void tsan_suite_of_##suite_name(void)                                          \
    {                                                                                                                  \
        static struct tsan_suite s = {.name = #suite_name, ##__VA_ARGS__};                                             \
        tsan_add_suite(&s);                                                                                            \
    }
#define Test(suite_name, test_name, ...)                                                                               \
    static void suite_name##_##test_name##_impl(void);                                                                 \
    __attribute__((constructor)) static void tsan_test_##suite_name##_##test_name(void)                                \
    {                                                                                                                  \
        static struct tsan_test t = {                                                                                  \
            .suite = #suite_name, .name = #test_name, .run = suite_name##_##test_name##_impl, ##__VA_ARGS__};          \
        tsan_add_test(&t);                                                                                             \
    }                                                                                                                  \
    static void suite_name##_##test_name##_impl(void)

#define TSAN_CHECK(fatal, condition, what, ...)                                                                        \
    ((condition) ? (void)0 : tsan_failed(fatal, __FILE__, __LINE__, what, " " __VA_ARGS__))

#define cr_assert(c, ...) TSAN_CHECK(true, (c), #c, ##__VA_ARGS__)
#define cr_expect(c, ...) TSAN_CHECK(false, (c), #c, ##__VA_ARGS__)
#define cr_assert_not(c, ...) TSAN_CHECK(true, !(c), "not " #c, ##__VA_ARGS__)
#define cr_expect_not(c, ...) TSAN_CHECK(false, !(c), "not " #c, ##__VA_ARGS__)
#define cr_assert_fail(...) TSAN_CHECK(true, false, "fail", ##__VA_ARGS__)
#define cr_expect_fail(...) TSAN_CHECK(false, false, "fail", ##__VA_ARGS__)
#define cr_skip_test(...) tsan_skip()
#define cr_assert_eq(a, b, ...) TSAN_CHECK(true, (a) == (b), #a " == " #b, ##__VA_ARGS__)
#define cr_assert_neq(a, b, ...) TSAN_CHECK(true, (a) != (b), #a " != " #b, ##__VA_ARGS__)
#define cr_assert_lt(a, b, ...) TSAN_CHECK(true, (a) < (b), #a " < " #b, ##__VA_ARGS__)
#define cr_assert_leq(a, b, ...) TSAN_CHECK(true, (a) <= (b), #a " <= " #b, ##__VA_ARGS__)
#define cr_assert_gt(a, b, ...) TSAN_CHECK(true, (a) > (b), #a " > " #b, ##__VA_ARGS__)
#define cr_assert_geq(a, b, ...) TSAN_CHECK(true, (a) >= (b), #a " >= " #b, ##__VA_ARGS__)
#define cr_assert_null(a, ...) TSAN_CHECK(true, (a) == NULL, #a " is NULL", ##__VA_ARGS__)
#define cr_assert_not_null(a, ...) TSAN_CHECK(true, (a) != NULL, #a " is not NULL", ##__VA_ARGS__)
#define cr_assert_str_eq(a, b, ...) TSAN_CHECK(true, !strcmp(a, b), #a " is " #b, ##__VA_ARGS__)
#define cr_assert_str_neq(a, b, ...) TSAN_CHECK(true, strcmp(a, b), #a " is not " #b, ##__VA_ARGS__)
#define cr_assert_arr_eq(a, b, n, ...) TSAN_CHECK(true, !memcmp(a, b, n), #a " has what " #b " has", ##__VA_ARGS__)
#define cr_assert_float_eq(a, b, e, ...)                                                                               \
    TSAN_CHECK(true, fabs((double)((a) - (b))) <= (e), #a " is near " #b, ##__VA_ARGS__)
#define cr_expect_eq(a, b, ...) TSAN_CHECK(false, (a) == (b), #a " == " #b, ##__VA_ARGS__)
#define cr_expect_neq(a, b, ...) TSAN_CHECK(false, (a) != (b), #a " != " #b, ##__VA_ARGS__)
#define cr_expect_lt(a, b, ...) TSAN_CHECK(false, (a) < (b), #a " < " #b, ##__VA_ARGS__)
#define cr_expect_leq(a, b, ...) TSAN_CHECK(false, (a) <= (b), #a " <= " #b, ##__VA_ARGS__)
#define cr_expect_gt(a, b, ...) TSAN_CHECK(false, (a) > (b), #a " > " #b, ##__VA_ARGS__)
#define cr_expect_geq(a, b, ...) TSAN_CHECK(false, (a) >= (b), #a " >= " #b, ##__VA_ARGS__)
#define cr_expect_null(a, ...) TSAN_CHECK(false, (a) == NULL, #a " is NULL", ##__VA_ARGS__)
#define cr_expect_not_null(a, ...) TSAN_CHECK(false, (a) != NULL, #a " is not NULL", ##__VA_ARGS__)
#define cr_expect_str_eq(a, b, ...) TSAN_CHECK(false, !strcmp(a, b), #a " is " #b, ##__VA_ARGS__)
#define cr_expect_str_neq(a, b, ...) TSAN_CHECK(false, strcmp(a, b), #a " is not " #b, ##__VA_ARGS__)
#define cr_expect_arr_eq(a, b, n, ...) TSAN_CHECK(false, !memcmp(a, b, n), #a " has what " #b " has", ##__VA_ARGS__)
#define cr_expect_float_eq(a, b, e, ...)                                                                               \
    TSAN_CHECK(false, fabs((double)((a) - (b))) <= (e), #a " is near " #b, ##__VA_ARGS__)

#endif
