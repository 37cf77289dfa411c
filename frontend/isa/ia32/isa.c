#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "frontend/guest/machine.h"
#include "frontend/isa/ia32/ia32.h"
#include "frontend/isa/ia32/table.h"

/* System V ABI, Intel386 Architecture Processor Supplement: no flags are defined. */
static bool ia32_accepts(uint32_t flags, struct rp_error *err)
{
    (void)flags, (void)err;
    return true;
}

/* Linux's numbers for IA-32. */
static enum guest_call ia32_call_of(uint32_t number)
{
    switch (number) {
    case 1: return GUEST_CALL_EXIT;
    case 4: return GUEST_CALL_WRITE;
    case 45: return GUEST_CALL_BRK;
    case 252: return GUEST_CALL_EXIT_GROUP;
    case GUEST_CALL_FIRST_OWN: return GUEST_CALL_CORE;
    case GUEST_CALL_FIRST_OWN + 1: return GUEST_CALL_CORES;
    case GUEST_CALL_FIRST_OWN + 2: return GUEST_CALL_BARRIER;
    case GUEST_CALL_FIRST_OWN + 3: return GUEST_CALL_RETIRED;
    default: return GUEST_CALL_UNKNOWN;
    }
}

bool ia32_call(struct guest_machine *m, struct guest_core *c)
{
    const uint32_t number = c->registers[IA32_EAX];
    const uint32_t arguments[3] = {c->registers[IA32_EBX], c->registers[IA32_ECX], c->registers[IA32_EDX]};
    return guest_call(m, c, ia32_call_of(number), number, arguments, &c->registers[IA32_EAX]);
}

/* Segments FS and GS are where a thread has its own variables, which guests have none of. */
static bool uses_thread_segment(const struct ia32_instruction *i)
{
    return (i->segment == IA32_FS || i->segment == IA32_GS) && (ia32_memory(i) || i->row->operation == IA32_XLAT);
}

bool ia32_is_refused(const struct ia32_instruction *i)
{
    return i->row->operation == IA32_REFUSED || uses_thread_segment(i) ||
           (i->row->operation == IA32_INT && i->immediate != 0x80);
}

/* What to do about it, where a program can. */
static const char *ia32_remedy(const struct ia32_instruction *i)
{
    if (!strncmp(i->row->why, "floating point", strlen("floating point")))
        return ": guests compute in integers; use fixed point";
    if (!strcmp(i->row->name, "cpuid"))
        return ": C libraries of Linux ask this; link what 'reprise guest --flags ia32' names instead";
    return "";
}

void ia32_describe_refusal(const struct ia32_instruction *i, uint32_t pc, char *text, size_t size)
{
    char what[160];
    ia32_print(i, pc, what, sizeof what);
    if (i->row->operation == IA32_REFUSED)
        snprintf(text, size, "%s%s", what, ia32_remedy(i));
    else if (i->row->operation == IA32_INT)
        snprintf(text, size, "%s (guests have int $0x80 alone)", what);
    else
        snprintf(text, size, "%s (variables of threads: compile with -fno-stack-protector, and without _Thread_local)",
                 what);
}

/* Nobody knows its length. */
static unsigned ia32_unknown(const uint8_t *bytes, uint32_t available, bool is_short, char *text, size_t size)
{
    (void)is_short;
    snprintf(text, size, "0x%02x 0x%02x ... is no instruction of IA-32 that guests may have", bytes[0],
             available > 1 ? bytes[1] : 0);
    return 1;
}

const struct guest_isa guest_isa_ia32 = {
    .name = "ia-32",
    .text = "IA-32",
    .elf_machine = EM_386,
    .registers = 8,
    .stack_pointer = IA32_ESP,
    .result = IA32_EAX,
    .alignment = 1,
    .unaligned_atomics = true,
    .accepts = ia32_accepts,
    .translate = ia32_translate,
    .unknown = ia32_unknown,
    .call = ia32_call,
    .step = ia32_step,
};
