/* Prints graphs as text for dot(1), always with all details. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/check/names.h"
#include "frontend/cuda/driver/graph.h"
#include "tracefmt/plural.h"

static void print_launch(FILE *to, const struct launch *l)
{
    const char *name = l->function->program->name;
    char *readable = name_demangled(name);
    fprintf(to, "%s\\n<<<(%u,%u,%u), (%u,%u,%u), %u>>>", readable ? readable : name, l->grid[0], l->grid[1], l->grid[2],
            l->block[0], l->block[1], l->block[2], l->shared);
    free(readable);
}

static void print_work(FILE *to, const struct work *w)
{
    const CUDA_MEMCPY3D *c = &w->copy;
    switch (w->kind) {
    case WORK_LAUNCH: print_launch(to, &w->launch); break;
    case WORK_COPY: fprintf(to, "copy\\n%zu x %zu x %zu bytes", c->WidthInBytes, c->Height, c->Depth); break;
    case WORK_SET:
        fprintf(to, "memset\\n%zu x %zu elements of %u bytes at 0x%llx to 0x%x", w->set.width, w->set.height,
                w->set.elementSize, (unsigned long long)w->set.dst, w->set.value);
        break;
    case WORK_HOST: fprintf(to, "host function\\n0x%" PRIxPTR, (uintptr_t)w->host.fn); break;
    case WORK_EMPTY: fputs("empty", to); break;
    case WORK_CHILD: fprintf(to, "graph of %zu node%s", w->child->count, rp_plural(w->child->count)); break;
    case WORK_CONDITIONAL: {
        static const char *const names[] = {"if", "while", "switch"};
        fprintf(to, "%s\\n0x%llx", names[w->conditional.type], (unsigned long long)w->conditional.handle);
        break;
    }
    case WORK_RECORD: fputs("event is recorded", to); break;
    case WORK_WAIT: fputs("waits for event", to); break;
    case WORK_ALLOCATE: fprintf(to, "allocates\\n0x%llx", (unsigned long long)w->memory); break;
    case WORK_FREE: fprintf(to, "frees\\n0x%llx", (unsigned long long)w->memory); break;
    }
}

/* A node's name consists of its graph's name and its number: gn0_n2 is node 2 of the graph in node 0 of g. */
static void print_nodes(FILE *to, CUgraph graph, const char *name, unsigned depth)
{
    for (size_t i = 0; i < graph->count; i++) {
        CUgraphNode n = graph->nodes[i];
        fprintf(to, "%*s%sn%zu [label=\"%zu\\n", 2 * (int)depth, "", name, i, i);
        print_work(to, &n->work);
        fputs("\"];\n", to);
        for (size_t k = 0; k < n->before_count; k++)
            fprintf(to, "%*s%sn%zu -> %sn%zu;\n", 2 * (int)depth, "", name, n->before[k]->index, name, i);
        char *inner = NULL;
        if (n->work.kind != WORK_CHILD || asprintf(&inner, "%sn%zu_", name, i) < 0)
            continue;
        fprintf(to, "%*ssubgraph cluster_%s {\n", 2 * (int)depth, "", inner);
        print_nodes(to, n->work.child, inner, depth + 1);
        fprintf(to, "%*s}\n", 2 * (int)depth, "");
        free(inner);
    }
}

CUresult cuGraphDebugDotPrint(CUgraph graph, const char *path, unsigned flags)
{
    (void)flags;
    CUresult r = graph_enter(HANDLE_GRAPH, graph, path);
    if (r)
        return r;
    FILE *to = fopen(path, "we");
    if (to) {
        fputs("digraph graph_of_cuda {\n  node [shape=box];\n", to);
        print_nodes(to, graph, "g", 1);
        fputs("}\n", to);
    }
    if (!to || ferror(to) | fclose(to)) {
        say("cuGraphDebugDotPrint: cannot write %s: %s", path, strerror(errno));
        return leave(CUDA_ERROR_OPERATING_SYSTEM);
    }
    return leave(CUDA_SUCCESS);
}
