/* libstdc++ has an attribute of the name that CUDA's __noinline__ is a macro of, with clang 14. */
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
