/* One LZ4 block, as fat binaries hold it (LZ4 Block Format Description: token, literals, little-endian offset, match).
 */
#ifndef REPRISE_FRONTEND_MODULE_LZ4_H
#define REPRISE_FRONTEND_MODULE_LZ4_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True if the block is well formed and yields exactly `out_size` bytes. */
bool lz4_block_decode(const uint8_t *in, size_t in_size, uint8_t *out, size_t out_size);

#endif
