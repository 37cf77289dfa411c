/* glibc's headers for ARM, such as the one that <limits.h> asks for, want this where floating point is
 * -mfloat-abi=soft, and Debian has it for gnueabihf only as stubs-hard.h. It names functions of glibc that do nothing;
 * guests have no glibc. */
