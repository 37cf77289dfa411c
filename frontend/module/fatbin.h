/* A fat binary: what nvcc embeds in a program, entries of PTX and machine code for several architectures.
 *
 * Layout (all little-endian): header u32 magic 0xBA55ED50, u16 version 1, u16 header bytes, u64 bytes that follow; then
 * entries: u16 kind (1 PTX, 2 cubin, 8 code for link-time optimisation), u16, u32 header bytes, u64 payload bytes, u32
 * compressed bytes, u32 offset of the options, u16 minor and u16 major version, u32 architecture, ..., at 0x28 u64
 * flags, at 0x38 u64 bytes uncompressed. Flags: 0x2000 the payload is one LZ4 block, 0x8000 it is a zstd frame. Several
 * fat binaries may follow one another. Section .nv_fatbin of a host program has one for each source file, and an empty
 * one that nvcc puts before them. Fat binaries of host objects, libraries and programs are found by that section. An
 * object of nvcc -rdc=true has
 * __nv_relfatbin instead, and a program of such objects both: .nv_fatbin, which comes first, has the linked code.
 *
 * Loading reads the headers alone: a library has hundreds of megabytes of images and uses few. The caller's
 * bytes must live until fatbin_free.
 */
#ifndef REPRISE_FRONTEND_MODULE_FATBIN_H
#define REPRISE_FRONTEND_MODULE_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracefmt/error.h"

enum fatbin_kind { FATBIN_PTX = 1, FATBIN_CUBIN = 2 };
struct fatbin_entry {
    enum fatbin_kind kind;
    uint32_t part; /* which of the fat binaries that follow one another, from 0 */
    uint32_t arch; /* 62 for sm_62 or compute_62 */
    bool is_64, debug;
    uint8_t *bytes; /* NULL before fatbin_unpack; uncompressed; PTX ends in a NUL that size does not count */
    size_t size;
    const uint8_t *stored; /* the payload within the caller's bytes, and its size there and uncompressed */
    uint64_t stored_bytes, unpacked_bytes, flags;
};
struct fatbin {
    const char *file_name; /* the caller's */
    const uint8_t *start;  /* where offsets in errors count from */
    uint32_t part_count, count;
    bool link_time; /* there are entries of code for link-time optimisation, which are left out */
    struct fatbin_entry *entries;
};

/* Whether this is a fat binary, or a file of the host that holds some. */
bool fatbin_is(const void *bytes, size_t size);
/* For errors: what is wrong with a fat binary that has such code alone, and the way out. */
#define FATBIN_LINK_TIME "code for link-time optimisation alone: link it with nvcc -dlto, or compile it without -dlto"
/* Reads the headers. Entries of other kinds than PTX and cubin are left out. */
struct fatbin *fatbin_load(const char *file_name, const void *bytes, size_t size, struct rp_error *);
/* Gives the entry its bytes, if it has none yet. */
bool fatbin_unpack(const struct fatbin *, struct fatbin_entry *, struct rp_error *);
void fatbin_free(struct fatbin *);

#endif
