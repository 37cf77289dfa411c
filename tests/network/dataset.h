/* Labelled images in the files of MNIST (Y. LeCun, C. Cortes, "The MNIST database"): idx3 and idx1, compressed by gzip.
 */
#ifndef REPRISE_TESTS_NETWORK_DATASET_H
#define REPRISE_TESTS_NETWORK_DATASET_H

#include <stddef.h>
#include <stdint.h>

#include "tracefmt/error.h"

enum { PIXELS = 28 * 28, CLASSES = 10 };

struct dataset {
    uint32_t count;
    uint8_t *pixels; /* count x PIXELS */
    uint8_t *labels; /* count, each below CLASSES */
};

/* The first `count` images of folder/<part>-images-idx3-ubyte.gz and their labels; part: "train" or "t10k". */
bool dataset_load(struct dataset *, const char *folder, const char *part, uint32_t count, struct rp_error *);
void dataset_free(struct dataset *);

#endif
