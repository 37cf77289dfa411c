#include "tracefmt/features.h"
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

const char *rp_object_operation_name(enum rp_object_operation o)
{
    static const char *const names[] = {
#define X(id, name, help) name,
        RP_OBJECT_OPERATIONS(X)
#undef X
    };
    return (unsigned)o < RP_OBJECT_OPERATION_COUNT ? names[o] : "unknown";
}

const char *rp_host_kind_name(enum rp_host_kind k)
{
    static const char *const names[] = {
#define X(id, name, help) name,
        RP_HOST_KINDS(X)
#undef X
    };
    return (unsigned)k < RP_HOST_KIND_COUNT ? names[k] : "unknown";
}

const char *rp_copy_direction_name(enum rp_copy_direction d)
{
    static const char *const names[] = {"to-device", "to-host", "on-device", "on-host"};
    return (unsigned)d < sizeof names / sizeof *names ? names[d] : "unknown";
}

const char *feature_name(enum feature f)
{
    static const char *const names[] = {
#define X(id, name) name,
        FEATURES(X)
#undef X
    };
    return names[f];
}
