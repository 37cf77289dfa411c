/* What a guest may ask of the chip that it runs on (reprise record --guest). The same program runs on Linux and under
 * qemu-user, where CORES in the environment says how many threads play the cores. */
#ifndef REPRISE_GUEST_H
#define REPRISE_GUEST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

unsigned guest_core(void);    /* the number of this core, from 0 */
unsigned guest_cores(void);   /* how many there are */
void guest_barrier(void);     /* waits for all cores that have not exited */
unsigned guest_retired(void); /* instructions that this core has executed, modulo 2^32; 0 on Linux */

int guest_write(int file, const void *bytes, size_t count); /* 1: output, 2: errors */
void guest_print(const char *text);                         /* to 1 */
void guest_print_hex(uint32_t value);                       /* eight digits and a newline */
/* More memory, zeroed, which all cores may access; NULL: there is none. Any cores may call it at the same time. */
void *guest_grow(size_t bytes);
__attribute__((noreturn)) void guest_exit(int status); /* this core ends */

#ifdef __cplusplus
}
#endif

#endif
