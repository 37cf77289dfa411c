/* 32-bit cubins: one as CUDA 6.5 wrote it for sm_50, made here with libelf, and a real one of CUDA 11.8, the last
 * toolkit that makes them. */
#include <string.h>
#include <unistd.h>

#include <libelf.h>

#include "tests/unit/cubin/golden.h"

/* names: offsets counted by hand */
static char names[] = "\0.shstrtab\0.strtab\0.symtab\0.text.k\0.nv.info.k\0.nv.constant0.k";
enum { N_SHSTRTAB = 1, N_STRTAB = 11, N_SYMTAB = 19, N_TEXT = 27, N_INFO = 35, N_CONSTANT = 46 };
static char strings[] = "\0k";

static void section(Elf *elf, unsigned name, unsigned type, unsigned flags, unsigned link, unsigned info,
                    unsigned entry, Elf_Type kind, void *bytes, size_t size)
{
    Elf_Scn *scn = elf_newscn(elf);
    Elf32_Shdr *h = elf32_getshdr(scn);
    *h = (Elf32_Shdr){
        .sh_name = name, .sh_type = type, .sh_flags = flags, .sh_link = link, .sh_info = info, .sh_entsize = entry};
    Elf_Data *d = elf_newdata(scn);
    d->d_buf = bytes;
    d->d_size = size;
    d->d_type = kind;
    d->d_align = 4;
    d->d_version = EV_CURRENT;
}

static uint8_t *make(size_t *size)
{
    static uint8_t code[64], constant[0x148];
    static uint8_t info[] = {4, 0x0a, 8,  0, 6, 0, 0, 0, 0x40, 1, 8, 0,                   /* PARAM_CBANK */
                             4, 0x17, 12, 0, 0, 0, 0, 0, 1,    0, 4, 0, 0, 0xf0, 0x11, 0, /* KPARAM_INFO 1 */
                             4, 0x17, 12, 0, 0, 0, 0, 0, 0,    0, 0, 0, 0, 0xf0, 0x11, 0, /* KPARAM_INFO 0 */
                             3, 0x19, 8,  0};                                             /* CBANK_PARAM_SIZE */
    static Elf32_Sym symbols[2] = {{0},
                                   {.st_name = 1, .st_size = 64, .st_info = 0x12, .st_other = 0x10, .st_shndx = 4}};
    char path[] = "/tmp/reprise-elf32-XXXXXX";
    int fd = mkstemp(path);
    cr_assert(fd >= 0);
    unlink(path);
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_WRITE, NULL);
    Elf32_Ehdr *h = elf32_newehdr(elf);
    h->e_ident[EI_DATA] = ELFDATA2LSB;
    h->e_ident[EI_OSABI] = 0x33;
    h->e_type = ET_EXEC;
    h->e_machine = 190;
    h->e_version = EV_CURRENT;
    h->e_flags = 0x320132;
    h->e_shstrndx = 1;
    section(elf, N_SHSTRTAB, SHT_STRTAB, 0, 0, 0, 0, ELF_T_BYTE, names, sizeof names);
    section(elf, N_STRTAB, SHT_STRTAB, 0, 0, 0, 0, ELF_T_BYTE, strings, sizeof strings);
    section(elf, N_SYMTAB, SHT_SYMTAB, 0, 2, 1, sizeof *symbols, ELF_T_SYM, symbols, sizeof symbols);
    section(elf, N_TEXT, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR | 2 << 20, 3, 7u << 24 | 1, 0, ELF_T_BYTE, code,
            sizeof code);
    section(elf, N_INFO, 0x70000000, 0, 3, 4, 0, ELF_T_BYTE, info, sizeof info);
    section(elf, N_CONSTANT, SHT_PROGBITS, SHF_ALLOC, 0, 4, 0, ELF_T_BYTE, constant, sizeof constant);
    cr_assert_gt(elf_update(elf, ELF_C_WRITE), 0, "%s", elf_errmsg(-1));
    elf_end(elf);
    uint8_t *bytes = malloc(1 << 16);
    ssize_t n = pread(fd, bytes, 1 << 16, 0);
    cr_assert_gt(n, 0);
    close(fd);
    bytes[20] = 0x41; /* e_version: the toolkit, 6.5; libelf writes only 1 */
    *size = (size_t)n;
    return bytes;
}

Test(elf32, a_32_bit_cubin_of_cuda_6_5)
{
    size_t size;
    uint8_t *bytes = make(&size);
    struct rp_error err = {0};
    struct cubin *c = cubin_load("old.cubin", bytes, size, &err);
    free(bytes);
    cr_assert(c, "%s", err.text);
    cr_expect_eq(c->sm, 50);
    cr_expect_eq(c->toolkit, 0x41);
    cr_expect_not(c->is_64);
    struct cubin_kernel *k = cubin_kernel(c, NULL, &err);
    cr_assert(k, "%s", err.text);
    cr_expect_str_eq(k->name, "k");
    cr_expect_eq(k->registers, 7);
    cr_expect_eq(k->barriers, 2);
    cr_expect_eq(k->parameter_base, 0x140);
    cr_expect_eq(k->parameter_bytes, 8);
    static const struct cubin_parameter expected[2] = {{0, 0, 4}, {1, 4, 4}};
    cr_assert_eq(k->parameter_count, 2);
    cr_expect_arr_eq(k->parameters, expected, sizeof expected);
    cubin_free(c);
}

/* Read off NVIDIA's readers: readelf -S -s -r and nvdisasm. */
Test(elf32, a_32_bit_cubin_of_cuda_11_8)
{
    struct cubin *c = load_golden("32-bit.cubin");
    struct rp_error err = {0};
    cr_expect_eq(c->sm, 50);
    cr_expect_eq(c->virtual_sm, 50);
    cr_expect_eq(c->toolkit, 0x76);
    cr_expect_eq(c->flags, 0x320132);
    cr_expect(!c->is_64 && !c->relocatable);
    struct cubin_kernel *k = cubin_kernel(c, "scale", &err);
    cr_assert(k, "%s", err.text);
    cr_expect_eq(k->registers, 8);
    cr_expect_eq(k->barriers, 1);
    cr_expect_eq(k->static_shared, 128);
    cr_expect_eq(k->code.size, 0x100);
    cr_expect_eq(k->parameter_base, 0x140);
    static const struct cubin_parameter expected[2] = {{0, 0, 4}, {1, 4, 4}};
    cr_assert_eq(k->parameter_count, 2);
    cr_expect_arr_eq(k->parameters, expected, sizeof expected);
    cr_expect_eq(c->global_size, 40);
    cr_expect_eq(c->global_init.size, 4);
    cr_expect_eq(c->global_init.at[0], 7);
    cr_expect_eq(c->constant[3].at[8], 3);
    cr_assert_eq(c->relocation_count, 2);
    const struct cubin_addresses at = {.global_init = 0x1000, .global = 0x2100};
    cr_assert(cubin_link(c, &at, &err), "%s", err.text);
    /* MOV32I R3, step and MOV32I R4, zeroed: the address from bit 20 on */
    static const uint8_t step[8] = {0x03, 0xf0, 0x07, 0x00, 0x01, 0x00, 0x00, 0x01};
    static const uint8_t zeroed[8] = {0x04, 0xf0, 0x07, 0x10, 0x02, 0x00, 0x00, 0x01};
    cr_expect_arr_eq(k->code.at + 0x28, step, 8);
    cr_expect_arr_eq(k->code.at + 0x88, zeroed, 8);
    cubin_free(c);
}

Test(elf32, addresses_that_32_bits_do_not_hold)
{
    struct cubin *c = load_golden("32-bit.cubin");
    struct rp_error err = {0};
    const struct cubin_addresses far = {.global_init = 0x1000, .global = 0x200000000};
    cr_expect_not(cubin_link(c, &far, &err));
    cr_expect_str_eq(err.text, "32-bit.cubin: section .text.scale: 32 bits do not hold the address of 'zeroed', "
                               "0x200000000; compile for 64-bit addresses");
    cubin_free(c);
}
