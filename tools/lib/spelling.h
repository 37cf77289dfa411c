/* Brings the many spellings of a C++ name with template arguments into one. */
#ifndef REPRISE_TOOLS_LIB_SPELLING_H
#define REPRISE_TOOLS_LIB_SPELLING_H

/* Returns the text from `from` up to `end` in its plain spelling, which the caller frees; NULL: out of memory. The
 * plain spelling has no needless blanks. The words of an integer type have one order ("unsigned", "int unsigned":
 * "unsigned int"), and qualifiers come after their type ("const float*": "float const*"). The address of a function has
 * no parameters. Constants in template arguments are decimal numbers without suffix ("5u"), base ("0x10") or type
 * ("(ns::Kind)2"); so are characters ('a': 97), true and false. "<unnamed>" is "(anonymous namespace)", and
 * "[lambda(int) (instance 2)]" is "{lambda(int)#2}". */
char *plain_spelling(const char *from, const char *end);

#endif
