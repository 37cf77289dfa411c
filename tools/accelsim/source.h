/* The lines of a trace of Accel-Sim: plain text (.traceg), compressed by xz, or the packed form of version 2 (.tracez),
 * which is read as the lines of the plain form.
 *
 * .tracez, as Accel-Sim 2.0 writes it (its tracez_format.h; there is no other description): the header's lines and a
 * NUL; the size of a dictionary of zstd and of a piece, 32 bits each; the dictionary; the pieces; an index; the offset
 * of the index, 64 bits. The index has the number of blocks and for each its coordinates, those of its cluster, of
 * itself in the cluster and its rank (10 numbers), its number of warps, and for each of these its instructions, its
 * number of pieces, where they begin (64 bits), and the instructions of each piece. A warp's pieces begin with its
 * instructions and number of pieces again, and each is its compressed size and a frame of zstd, lines of the plain
 * form. Numbers have 32 bits unless stated otherwise, least significant byte first.
 */
#ifndef REPRISE_TOOLS_ACCELSIM_SOURCE_H
#define REPRISE_TOOLS_ACCELSIM_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "tracefmt/error.h"

struct source;
struct source *source_open(const char *path, struct rp_error *);
void source_close(struct source *);
/* 1: *line is the next line, with a NUL in place of its end, valid until the next call; 0: the end; -1: failure. */
int source_line(struct source *, char **line, struct rp_error *);
uint64_t source_number(const struct source *); /* of the last line, from 1 */
const char *source_path(const struct source *);
/* Bytes of the file: in all, and read so far. */
uint64_t source_size(const struct source *);
uint64_t source_read(const struct source *);

/* tracez.c */
struct tracez;
struct tracez *tracez_open(const char *path, struct rp_error *);
void tracez_close(struct tracez *);
/* Writes the next bytes of the text, at most `room`, and returns their number; 0: the end; -1: failure. */
long tracez_text(struct tracez *, char *to, size_t room, struct rp_error *);
uint64_t tracez_read(const struct tracez *);

#endif
