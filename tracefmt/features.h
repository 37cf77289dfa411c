/* Features beyond version 1 that a reader must know to read a trace correctly. A writer announces a feature before the
 * first thing that needs it, and only then; docs/trace-format.md, "Features". X(identifier, name in files) */
#ifndef REPRISE_TRACEFMT_FEATURES_H
#define REPRISE_TRACEFMT_FEATURES_H

/* clang-format off */
#define FEATURES(X)                                                                                                    \
    X(INTERLEAVED_LAUNCHES, "interleaved-launches")                                                                    \
    X(AUX_COUNTS, "aux-counts")                                                                                        \
    X(MEMORY_OBJECTS, "memory-objects")                                                                                \
    X(OBJECT_OPERATIONS, "object-operations")                                                                          \
    X(CREATED_STREAMS, "created-streams")                                                                              \
    X(CLUSTERS, "clusters")                                                                                            \
    X(LAUNCH_BARRIERS, "launch-barriers")                                                                              \
    X(SCATTERED_PATTERNS, "scattered-patterns")                                                                        \
    X(SCATTERED_LANES, "scattered-lanes")
/* clang-format on */

enum feature {
#define X(id, name) FEATURE_##id,
    FEATURES(X)
#undef X
        FEATURE_COUNT
};
const char *feature_name(enum feature);

#endif
