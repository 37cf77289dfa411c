#include "tracefmt/trace.h"

const char *rp_class_name(enum rp_class c)
{
    static const char *const names[] = {
#define X(id, name, help) name,
        RP_CLASSES(X)
#undef X
    };
    return (unsigned)c < RP_CLASS_COUNT ? names[c] : "unknown";
}

const char *rp_space_name(enum rp_space s)
{
    static const char *const names[] = {
#define X(id, name) name,
        RP_SPACES(X)
#undef X
    };
    return (unsigned)s < RP_SPACE_COUNT ? names[s] : "unknown";
}
