/* Names of kernels for people. */
#ifndef REPRISE_TOOLS_NAMES_H
#define REPRISE_TOOLS_NAMES_H

#define PLAIN_NAME 256
/* A mangled name of C++ without its parameters and what it returns: "_Z6reduceIiLi4EEvPT_" is "reduce<int, 4>". Other
 * names are as they are. Long ones are cut. Returns out. */
const char *plain_kernel_name(const char *name, char out[PLAIN_NAME]);

#endif
