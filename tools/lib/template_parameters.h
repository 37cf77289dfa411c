/* Names of NVIDIA's demangler, which Nsight Compute prints: parameters of a template's instance are as the template
 * declares them, "void scale<float, (int)4>(T1 *, int, T1)", where T1 is the first template argument; "T2..." are the
 * second one and all that follow. */
#ifndef REPRISE_TOOLS_LIB_TEMPLATE_PARAMETERS_H
#define REPRISE_TOOLS_LIB_TEMPLATE_PARAMETERS_H

/* Replaces T1, T2, ... in a plain spelling (tools/lib/spelling.h) by the template arguments in front of the
 * parentheses: "scale<float,4>(T1*,int,T1)" becomes "scale<float,4>(float*,int,float)". A T that has no argument stays.
 * Returns the new text, which the caller frees and which plain_spelling() may change once more. NULL: out of memory,
 * the brackets nest too deep, or the text would become too long. */
char *with_template_arguments(const char *plain);

#endif
