/* NVIDIA's ptxas, without which some tests of this suite have nothing to run. */
#ifndef REPRISE_TESTS_SUPPORT_TOOLCHAIN_H
#define REPRISE_TESTS_SUPPORT_TOOLCHAIN_H

/* Skips the test, and says so, where `make toolchain` has not been run. */
void need_toolchain(void);

#endif
