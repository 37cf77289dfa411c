/* SHA-256, FIPS 180-4. */
#ifndef REPRISE_TRACEFMT_SHA256_H
#define REPRISE_TRACEFMT_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct sha256 {
    uint32_t state[8];
    uint64_t bytes;
    uint8_t pending[64];
};

void sha256_begin(struct sha256 *);
void sha256_add(struct sha256 *, const void *data, size_t size);
void sha256_end(struct sha256 *, uint8_t digest[32]);
void sha256_hex(const uint8_t digest[32], char text[65]);

#endif
