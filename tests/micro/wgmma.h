/* wgmma with both operands in shared memory. PTX wants each register of the accumulator written out: 16 of them at a
   time, as text and as operands of asm. */
#pragma once
#define REGISTERS_0 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define REGISTERS_1 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define REGISTERS_2 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define REGISTERS_3 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define REGISTERS_4 "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79"
#define REGISTERS_5 "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define REGISTERS_6 "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111"
#define REGISTERS_7 "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define REGISTERS_32 REGISTERS_0 ", " REGISTERS_1
#define REGISTERS_64 REGISTERS_32 ", " REGISTERS_2 ", " REGISTERS_3
#define REGISTERS_128 REGISTERS_64 ", " REGISTERS_4 ", " REGISTERS_5 ", " REGISTERS_6 ", " REGISTERS_7
#define SUMS_4(letter, n) "+" letter(x[n]), "+" letter(x[n + 1]), "+" letter(x[n + 2]), "+" letter(x[n + 3])
#define SUMS_16(letter, n) SUMS_4(letter, n), SUMS_4(letter, n + 4), SUMS_4(letter, n + 8), SUMS_4(letter, n + 12)
#define SUMS_32(letter) SUMS_16(letter, 0), SUMS_16(letter, 16)
#define SUMS_64(letter) SUMS_32(letter), SUMS_16(letter, 32), SUMS_16(letter, 48)
#define SUMS_128(letter)                                                                                               \
    SUMS_64(letter), SUMS_16(letter, 64), SUMS_16(letter, 80), SUMS_16(letter, 96), SUMS_16(letter, 112)
/* form: shape and types; count: registers of the accumulator; from, to: the numbers of the descriptors' operands; rest:
   scales and transpositions. */
#define MULTIPLY(form, count, letter, from, to, rest)                                                                  \
    asm volatile("wgmma.mma_async.sync.aligned." form " { " REGISTERS_##count " }, " from ", " to ", " rest ";"        \
                 : SUMS_##count(letter)                                                                                \
                 : "l"(p), "l"(q));
WGMMA(wgmma_n64_f32, float, 32, MULTIPLY("m64n64k16.f32.f16.f16", 32, "f", "%32", "%33", "1, 1, 1, 0, 0"))
WGMMA(wgmma_n128_f32, float, 64, MULTIPLY("m64n128k16.f32.f16.f16", 64, "f", "%64", "%65", "1, 1, 1, 0, 0"))
WGMMA(wgmma_n256_f32, float, 128, MULTIPLY("m64n256k16.f32.f16.f16", 128, "f", "%128", "%129", "1, 1, 1, 0, 0"))
WGMMA(wgmma_n256_f16, unsigned, 64, MULTIPLY("m64n256k16.f16.f16.f16", 64, "r", "%64", "%65", "1, 1, 1, 0, 0"))
WGMMA(wgmma_n256_tf32, float, 128, MULTIPLY("m64n256k8.f32.tf32.tf32", 128, "f", "%128", "%129", "1, 1, 1"))
WGMMA(wgmma_n256_e4m3, float, 128, MULTIPLY("m64n256k32.f32.e4m3.e4m3", 128, "f", "%128", "%129", "1, 1, 1"))
WGMMA(wgmma_n256_s8, unsigned, 128, MULTIPLY("m64n256k32.s32.s8.s8", 128, "r", "%128", "%129", "1"))
#define WGMMAS(X)                                                                                                      \
    X(wgmma_n64_f32)                                                                                                   \
    X(wgmma_n128_f32) X(wgmma_n256_f32) X(wgmma_n256_f16) X(wgmma_n256_tf32) X(wgmma_n256_e4m3) X(wgmma_n256_s8)
