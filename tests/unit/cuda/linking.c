/* Modules of PTX that are linked: names, definitions, source lines. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common.h"

#define HEADER ".version 7.5\n.target sm_61\n.address_size 64\n"
#define RETURNS_U32 ".func (.reg .u32 r) "

/* Each of the two has a `local`, a `mine`, a `weak` and a `common` of its own. */
static const char first[] = HEADER                                                                        //
    ".extern " RETURNS_U32 "helper(.reg .u32 a);\n"                                                       //
    ".extern .global .u32 table[];\n"                                                                     //
    ".global .u32 mine = 5;\n"                                                                            //
    ".common .global .u32 common;\n"                                                                      //
    ".weak .global .u32 weak_value = 8;\n" RETURNS_U32 "local(.reg .u32 a) { add.u32 r, a, 100; ret; }\n" //
    ".weak " RETURNS_U32 "weak(.reg .u32 a) { add.u32 r, a, 1000; ret; }\n"                               //
    ".weak " RETURNS_U32 "yields(.reg .u32 a) { mov.u32 r, 1; ret; }\n"                                   //
    ".visible .entry results(.param .u64 out) {\n"                                                        //
    "    .reg .u64 p; .reg .u32 a;\n"                                                                     //
    "    ld.param.u64 p, [out];\n"                                                                        //
    "    call (a), helper, (1);  st.global.u32 [p], a;\n"                                                 //
    "    call (a), local, (1);   st.global.u32 [p+4], a;\n"                                               //
    "    ld.global.u32 a, [table+8]; st.global.u32 [p+8], a;\n"                                           //
    "    ld.global.u32 a, [mine];    st.global.u32 [p+12], a;\n"                                          //
    "    call (a), weak, (1);    st.global.u32 [p+16], a;\n"                                              //
    "    call (a), yields, (1);  st.global.u32 [p+20], a;\n"                                              //
    "    ld.global.u32 a, [weak_value]; st.global.u32 [p+24], a;\n"                                       //
    "    ld.global.u32 a, [common];  st.global.u32 [p+28], a;\n"                                          //
    "    ret;\n"                                                                                          //
    "}\n";
static const char second[] = HEADER                                                                       //
    ".visible .global .u32 table[4] = {10, 20, 30, 40};\n"                                                //
    ".global .u32 mine = 6;\n"                                                                            //
    ".common .global .u32 common;\n"                                                                      //
    ".weak .global .u32 weak_value = 9;\n" RETURNS_U32 "local(.reg .u32 a) { add.u32 r, a, 200; ret; }\n" //
    ".weak " RETURNS_U32 "weak(.reg .u32 a) { add.u32 r, a, 2000; ret; }\n"                               //
    ".visible " RETURNS_U32 "yields(.reg .u32 a) { mov.u32 r, 2; ret; }\n"                                //
    ".visible " RETURNS_U32 "helper(.reg .u32 a) {\n"                                                     //
    "    .reg .u32 t;\n"                                                                                  //
    "    call (r), local, (a);  ld.global.u32 t, [mine];  add.u32 r, r, t;\n"                             //
    "    st.global.u32 [common], r;\n"                                                                    //
    "    ret;\n"                                                                                          //
    "}\n";

static CUlinkState begin(void)
{
    CUlinkState s;
    WORKS(cuLinkCreate_v2(0, NULL, NULL, &s));
    return s;
}

static void add(CUlinkState s, const char *text)
{
    WORKS(cuLinkAddData_v2(s, CU_JIT_INPUT_PTX, (void *)(uintptr_t)text, strlen(text) + 1, "a piece", 0, NULL, NULL));
}

static CUmodule link_both(const char *one, const char *other)
{
    CUmodule m;
    void *image;
    size_t bytes;
    CUlinkState s = begin();
    add(s, one);
    add(s, other);
    WORKS(cuLinkComplete(s, &image, &bytes));
    WORKS(cuModuleLoadData(&m, image));
    WORKS(cuLinkDestroy(s));
    return m;
}

static void check_results(CUmodule m)
{
    /* helper is the second piece's, with its own local and mine; of the weak ones the first counts, if none is not */
    static const unsigned wanted[] = {1 + 200 + 6, 1 + 100, 30, 5, 0, 2, 0, 1 + 200 + 6};
    unsigned got[8];
    CUdeviceptr p;
    WORKS(cuMemAlloc_v2(&p, sizeof got));
    WORKS(run(kernel(m, "results"), 1, 1, NULL, (void *[]){&p}));
    WORKS(cuMemcpyDtoH_v2(got, p, sizeof got));
    for (unsigned i = 0; i < 8; i++)
        if (wanted[i])
            cr_assert_eq(got[i], wanted[i], "[%u]: %u, not %u", i, got[i], wanted[i]);
    bool in_order = got[4] == 1001 && got[6] == 8, other = got[4] == 2001 && got[6] == 9;
    cr_assert(in_order || other, "%u %u", got[4], got[6]);
}

Test(cuda_link, joins_pieces_in_either_order)
{
    start();
    check_results(link_both(first, second));
    check_results(link_both(second, first));
}

static void fails_with(const char *one, const char *other, const char *text)
{
    char log[400] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log}, *image;
    size_t bytes;
    CUmodule m;
    CUlinkState s = begin();
    add(s, one);
    add(s, other);
    WORKS(cuLinkComplete(s, &image, &bytes));
    FAILS(cuModuleLoadDataEx(&m, image, 2, options, values), CUDA_ERROR_INVALID_PTX);
    cr_assert(strstr(log, text), "%s", log);
    WORKS(cuLinkDestroy(s));
}

Test(cuda_link, says_what_does_not_fit)
{
    static const char body[] = HEADER ".visible .func twice() { ret; }\n";
    static const char variable[] = HEADER ".visible .global .u32 one;\n";
    static const char uses[] = HEADER ".visible .entry k() { .reg .u32 a; ld.global.u32 a, [hidden]; }\n";
    start();
    fails_with(body, body, "'twice' is defined twice");
    fails_with(variable, variable, "'one' is declared twice");
    fails_with(HEADER ".global .u32 hidden;\n", uses, "'hidden' is not declared");
    fails_with(body, ".version 7.5\n.target sm_61\n.address_size 32\n", "a module whose addresses have 64 bits");
}

Test(cuda_link, knows_the_lines_of_each_piece)
{
    static const char one[] = HEADER ".file 1 \"first.cu\"\n.visible .entry k() { .loc 1 3 0\n ret; }\n";
    static const char other[] = HEADER ".file 1 \"second.cu\"\n"
                                       ".visible .entry bad() { .reg .u32 a; .reg .u64 p;\nmov.u64 p, 8;\n"
                                       ".loc 1 17 0\nld.global.u32 a, [p]; }\n";
    char log[] = "/tmp/reprise-link-XXXXXX", text[1000] = "";
    int file = mkstemp(log);
    start();
    CUmodule m = link_both(one, other);
    setenv("REPRISE_LOG", log, 1);
    WORKS(run(kernel(m, "bad"), 1, 1, NULL, NULL));
    FAILS(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    cr_assert(read(file, text, sizeof text - 1) > 0);
    close(file);
    unlink(log);
    cr_assert(strstr(text, "second.cu:17"), "%s", text);
}

Test(cuda_link, takes_machine_code_alone)
{
    char code[64] = "\177ELF";
    void *image;
    size_t bytes;
    CUlinkState s;
    start();
    s = begin();
    FAILS(cuLinkComplete(s, &image, &bytes), CUDA_ERROR_INVALID_VALUE);
    WORKS(cuLinkAddData_v2(s, CU_JIT_INPUT_CUBIN, code, sizeof code, NULL, 0, NULL, NULL));
    WORKS(cuLinkComplete(s, &image, &bytes));
    cr_assert(bytes == sizeof code && !memcmp(image, code, bytes));
    FAILS(cuLinkAddData_v2(s, CU_JIT_INPUT_PTX, (void *)(uintptr_t)first, sizeof first, NULL, 0, NULL, NULL),
          CUDA_ERROR_NOT_SUPPORTED);
    FAILS(cuLinkAddData_v2(s, CU_JIT_INPUT_CUBIN, code, sizeof code, NULL, 0, NULL, NULL), CUDA_ERROR_NOT_SUPPORTED);
    WORKS(cuLinkDestroy(s));
    FAILS(cuLinkDestroy(s), CUDA_ERROR_INVALID_HANDLE);
}
