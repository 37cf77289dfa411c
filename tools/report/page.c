/* The parts of a page as bytes of the program, so that a copy of the program alone writes reports. make builds them in
 * REPORT_PARTS. */
#include "tools/report/report.h"

#define PART(name, file)                                                                                               \
    __asm__(".pushsection .rodata\n"                                                                                   \
            ".balign 8\n"                                                                                              \
            ".global report_" name "_size, report_" name "\n"                                                          \
            ".hidden report_" name "_size, report_" name "\n"                                                          \
            "report_" name "_size: .quad 2f - 1f\n"                                                                    \
            "report_" name ":\n"                                                                                       \
            "1: .incbin \"" REPORT_PARTS file "\"\n"                                                                   \
            "2:\n"                                                                                                     \
            ".popsection");
PART("style", "page.css")
PART("library", "library.js")
PART("licence", "licence.txt")
PART("script", "page.js")
