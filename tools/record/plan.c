#include "tools/record/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *need(void *memory)
{
    if (memory)
        return memory;
    fputs("reprise: out of memory\n", stderr);
    exit(RP_SYSTEM);
}

char *plan_copy(const char *text) { return need(strdup(text)); }

void *plan_grow(void **list, size_t *count, size_t size)
{
    *list = need(realloc(*list, (*count + 1) * size));
    return (char *)*list + (*count)++ * size;
}

struct plan_buffer *plan_add_buffer(struct plan *p, const char *name)
{
    struct plan_buffer *b = plan_grow((void **)&p->buffers, &p->buffer_count, sizeof *b);
    *b = (struct plan_buffer){.name = plan_copy(name)};
    return b;
}

struct plan_launch *plan_add_launch(struct plan *p)
{
    struct plan_launch *l = plan_grow((void **)&p->launches, &p->launch_count, sizeof *l);
    *l = (struct plan_launch){.grid = {1, 1, 1}, .block = {1, 1, 1}};
    return l;
}

void plan_free_argument(struct plan_argument *a)
{
    free(a->hex);
    for (uint32_t f = 0; f < a->field_count; f++)
        plan_free_argument(&a->fields[f].value);
    free(a->fields);
}

void plan_free_launch(struct plan_launch *l)
{
    free(l->kernel);
    free(l->after);
    for (uint32_t a = 0; a < l->arg_count; a++)
        plan_free_argument(&l->args[a]);
}

void plan_free(struct plan *p)
{
    for (size_t i = 0; i < p->buffer_count; i++) {
        free(p->buffers[i].name);
        free(p->buffers[i].path);
        free(p->buffers[i].described);
        free(p->buffers[i].shape);
    }
    for (size_t i = 0; i < p->image_count; i++) {
        free(p->images[i].name);
        free(p->images[i].reference);
    }
    for (size_t i = 0; i < p->launch_count; i++)
        plan_free_launch(&p->launches[i]);
    for (size_t i = 0; i < p->save_count; i++)
        free(p->saves[i].path);
    for (size_t i = 0; i < p->expect_count; i++) {
        free(p->expects[i].path);
        free(p->expects[i].within);
        free(p->expects[i].reference);
    }
    free(p->buffers);
    free(p->images);
    for (size_t i = 0; i < p->tensor_count; i++)
        free(p->tensors[i].name);
    free(p->tensors);
    free(p->launches);
    free(p->saves);
    free(p->prints);
    free(p->expects);
    free(p->module);
    free(p->target);
    free(p->assemble);
    free(p->output);
    free(p->kernel_output);
    free(p->launch_file);
    free(p->clang_flags);
}
