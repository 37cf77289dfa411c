/* CRC-32 and SHA-256 of bytes that begin at any address, read as words that are not aligned. */
#include "reprise_guest.h"

#ifndef MESSAGES
#define MESSAGES 64
#endif
#define LENGTH 150

static uint8_t bytes[MESSAGES * LENGTH + 64];
static uint32_t crcs[MESSAGES], digests[MESSAGES][8];

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t crc32(const uint8_t *p, unsigned n)
{
    uint32_t crc = ~0u;
    for (unsigned i = 0; i < n; i++) {
        crc ^= p[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

static uint32_t rotated(uint32_t x, unsigned n) { return x >> n | x << (32 - n); }

/* A word at any address: compilers make one load of it where the processor allows that. */
struct __attribute__((packed)) word {
    uint32_t value;
};
static uint32_t big_endian(const uint8_t *p)
{
    const uint32_t v = ((const struct word *)p)->value;
    return v >> 24 | (v >> 8 & 0xff00) | (v << 8 & 0xff0000) | v << 24;
}

static void sha256_block(uint32_t h[8], const uint8_t *p)
{
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++)
        w[i] = big_endian(p + 4 * i);
    for (int i = 16; i < 64; i++) {
        const uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (rotated(a, 7) ^ rotated(a, 18) ^ a >> 3) + w[i - 7] +
               (rotated(b, 17) ^ rotated(b, 19) ^ b >> 10);
    }
    for (int i = 0; i < 8; i++)
        s[i] = h[i];
    for (int i = 0; i < 64; i++) {
        const uint32_t t = s[7] + (rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25)) +
                           ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[i] + w[i];
        const uint32_t u = (rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22)) +
                           ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        for (int k = 7; k > 0; k--)
            s[k] = s[k - 1];
        s[4] += t;
        s[0] = t + u;
    }
    for (int i = 0; i < 8; i++)
        h[i] += s[i];
}

static void sha256(const uint8_t *p, unsigned n, uint32_t h[8])
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint8_t last[128];
    unsigned done = n & ~63u, rest = n - done, end = rest < 56 ? 64 : 128;
    for (int i = 0; i < 8; i++)
        h[i] = start[i];
    for (unsigned i = 0; i < done; i += 64)
        sha256_block(h, p + i);
    for (unsigned i = 0; i < end; i++)
        last[i] = i < rest ? p[done + i] : i == rest ? 0x80 : 0;
    for (unsigned i = 0; i < 4; i++)
        last[end - 1 - i] = (uint8_t)(n * 8 >> 8 * i);
    for (unsigned i = 0; i < end; i += 64)
        sha256_block(h, last + i);
}

int main(void)
{
    const unsigned core = guest_core(), cores = guest_cores();
    for (unsigned i = core; i < sizeof bytes; i += cores)
        bytes[i] = (uint8_t)(i * 7 + (i >> 8) * 31);
    guest_barrier();
    for (unsigned m = core; m < MESSAGES; m += cores) {
        const uint8_t *at = bytes + m * LENGTH + m % 7;
        crcs[m] = crc32(at, LENGTH - m);
        sha256(at, LENGTH - m % 100, digests[m]);
    }
    guest_barrier();
    if (core == 0) {
        uint32_t sum = 0;
        for (unsigned m = 0; m < MESSAGES; m++) {
            sum = sum * 31 + crcs[m];
            for (unsigned i = 0; i < 8; i++)
                sum = sum * 31 + digests[m][i];
        }
        guest_print_hex(crcs[0]);
        guest_print_hex(digests[0][0]);
        guest_print_hex(sum);
    }
    return 0;
}
