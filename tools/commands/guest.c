/* reprise guest: how to compile programs for a chip of many cores. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/data/folder.h"
#include "tools/lib/command.h"

enum { KEY_FLAGS = 256, KEY_CLANG };

static const struct option_row rows[] = {
    {"flags", KEY_FLAGS, "ISA",
     "Print the compiler's options and the start files for this instruction set: rv32 (or riscv32), arm (A32), thumb "
     "(T32), ia32"},
    {"clang", KEY_CLANG, NULL, "Print them for clang, which compiles for all targets; without, for gcc of that target"},
    {0},
};

struct guest_flags {
    const char *isa;
    bool clang;
};

static const struct {
    const char *name, *gcc, *clang, *assembler, *more; /* more: another file, or NULL */
} isas[] = {
    {"rv32", "-march=rv32imac -mabi=ilp32", "--target=riscv32-unknown-elf -march=rv32imac -mabi=ilp32 -fuse-ld=lld",
     "rv32.S", NULL},
    {"arm", "-marm -march=armv7-a -mfloat-abi=soft -Wl,--no-warn-mismatch",
     "--target=armv7a-linux-gnueabi -marm -mfloat-abi=soft -fuse-ld=lld", "arm.S", "arm_conversions.c"},
    {"thumb", "-mthumb -march=armv7-a -mfloat-abi=soft -Wl,--no-warn-mismatch",
     "--target=armv7a-linux-gnueabi -mthumb -mfloat-abi=soft -fuse-ld=lld", "arm.S", "arm_conversions.c"},
    {"ia32", "-m32 -march=i686 -mno-sse -fno-pie -no-pie -fno-stack-protector",
     "--target=i686-linux-gnu -march=i686 -mno-sse -fno-pie -fno-stack-protector -fuse-ld=lld", "ia32.S", NULL},
};
#define ISAS (sizeof isas / sizeof *isas)

static void guest_flags_option(struct command_line *line, int key, char *argument)
{
    struct guest_flags *f = line->input;
    switch (key) {
    case KEY_FLAGS: f->isa = argument; break;
    case KEY_CLANG: f->clang = true; break;
    case KEY_ARGUMENT:
        command_usage(line, "'%s' belongs to no option; 'reprise record --guest %s' runs a guest", argument, argument);
    case KEY_END:
        if (!f->isa)
            command_usage(line,
                          "for which instruction set? rv32, arm, thumb or ia32, as in: reprise guest --flags rv32");
    }
}

static int guest_flags_run(const struct command *c, int argc, char **argv)
{
    struct command_line line;
    struct guest_flags f = {0};
    struct rp_error err;
    char folder[PATH_MAX], path[PATH_MAX];
    size_t i = 0;
    command_parse(&line, c, argc, argv, &f);
    const char *isa = strcmp(f.isa, "riscv32") ? f.isa : "rv32"; /* as compilers call it */
    while (i < ISAS && strcmp(isas[i].name, isa))
        i++;
    if (i == ISAS)
        command_usage(&line, "--flags %s: there are rv32, arm, thumb and ia32", f.isa);
    if (!data_folder_find("guest", "start.c", folder, &err))
        return command_fail(&err);
    const char *at = realpath(folder, path) ? path : folder;
    printf("%s -static -nostdlib -ffreestanding -I%s %s/start.c %s/%s", f.clang ? isas[i].clang : isas[i].gcc, at, at,
           at, isas[i].assembler);
    if (isas[i].more)
        printf(" %s/%s", at, isas[i].more);
    puts(f.clang ? "" : " -lgcc");
    return command_finish(RP_OK);
}

static const struct command_example examples[] = {
    {"For gcc, as in: riscv64-unknown-elf-gcc -O2 -o mm.elf matmul.c $(reprise guest --flags rv32)",
     "reprise guest --flags rv32"},
    {"For arm-linux-gnueabihf-gcc, T32 code", "reprise guest --flags thumb"},
    {"For i686-linux-gnu-gcc", "reprise guest --flags ia32"},
    {"For clang", "reprise guest --flags arm --clang"},
    {NULL, NULL},
};

const struct command command_guest = {
    .name = "guest",
    .summary = "print how to compile programs for a chip of many cores",
    .usage = "--flags ISA [--clang]",
    .about =
        "Prints the options with which a compiler makes a guest, for use in a command line. A guest is a program for "
        "a chip of many cores, which 'reprise record --guest' runs (docs/guests.md).",
    .options = rows,
    .examples = examples,
    .option = guest_flags_option,
    .run = guest_flags_run,
};
