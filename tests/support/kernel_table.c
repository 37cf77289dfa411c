/* The table of all kernel cases. */
#include <string.h>

#include "tests/support/kernel_case.h"

#define CASE(name) extern const struct kernel_case case_##name;
#include "tests/support/kernel_cases.def"
#undef CASE

const struct kernel_case *const kernel_cases[] = {
#define CASE(name) &case_##name,
#include "tests/support/kernel_cases.def"
#undef CASE
    NULL,
};

const struct kernel_case *kernel_case_find(const char *name)
{
    for (size_t i = 0; kernel_cases[i]; i++)
        if (!strcmp(kernel_cases[i]->name, name))
            return kernel_cases[i];
    return NULL;
}
