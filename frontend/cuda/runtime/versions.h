/* IN_RANGE(x): x, if this major version of the runtime is in the range. */
#if CUDART_MAJOR == 11
#define IN_ONLY_11(...) __VA_ARGS__
#define IN_ONLY_12(...)
#define IN_FROM_12(...)
#define IN_FROM_13(...)
#define IN_UNTIL_12(...) __VA_ARGS__
#elif CUDART_MAJOR == 12
#define IN_ONLY_11(...)
#define IN_ONLY_12(...) __VA_ARGS__
#define IN_FROM_12(...) __VA_ARGS__
#define IN_FROM_13(...)
#define IN_UNTIL_12(...) __VA_ARGS__
#else
#define IN_ONLY_11(...)
#define IN_ONLY_12(...)
#define IN_FROM_12(...) __VA_ARGS__
#define IN_FROM_13(...) __VA_ARGS__
#define IN_UNTIL_12(...)
#endif
#define IN_ALL(...) __VA_ARGS__
/* Functions whose parameters changed in CUDA 12 under a new name have the old name again from 13 on. */
#if CUDART_MAJOR == 12
#define SECOND_VERSION(name) name##_v2
#else
#define SECOND_VERSION(name) name
#endif
