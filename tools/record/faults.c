#include "tools/record/faults.h"

#include <stdio.h>

#include "tools/hotspots/source.h"
#include "tools/lib/json.h"
#include "tracefmt/source_text.h"

static const struct rp_instruction *instruction_of(const struct program *p, const struct rp_launch_result *r)
{
    return r->fault_instruction < p->kernel.instruction_count ? &p->kernel.instructions[r->fault_instruction] : NULL;
}

void fault_print_source(const struct program *p, const struct rp_launch_result *r)
{
    const struct rp_instruction *in = instruction_of(p, r);
    struct source_files *files = in ? source_files_new("") : NULL;
    if (files)
        source_lines_of(files, &p->kernel, in, source_line_print, stderr);
    source_files_free(files);
}

json_t *fault_place_json(const struct program *p, const struct rp_launch_result *r)
{
    const struct rp_instruction *in = instruction_of(p, r);
    const uint32_t *b = r->fault_block, *t = r->fault_thread;
    json_t *out = json_pack("{s:s}", "kind", rp_fault_title(r->fault));
    json_put_kernel(out, p->kernel.name);
    json_join(out, json_pack("{s:o, s:[iii], s:[iii]}", "instruction", json_number(r->fault_instruction), "block",
                             (int)b[0], (int)b[1], (int)b[2], "thread", (int)t[0], (int)t[1], (int)t[2]));
    if (r->fault == RP_FAULT_BOUNDS || r->fault == RP_FAULT_MISALIGNED || r->fault == RP_FAULT_READ_ONLY)
        json_put(out, "address", json_number(r->fault_address));
    if (in && in->text)
        json_put(out, "text", json_string(in->text));
    if (in && in->line)
        json_put(out, "source", source_chain_json(&p->kernel, in));
    return out;
}
