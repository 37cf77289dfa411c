/* One spelling for the many that C++ has of a name with template arguments. */
#ifndef REPRISE_TOOLS_LIB_SPELLING_H
#define REPRISE_TOOLS_LIB_SPELLING_H

/* The text from `from` up to `end` without needless blanks, in which the words of an integer type stand in one order
 * ("unsigned", "int unsigned": "unsigned int") and qualifiers behind their type ("const float*": "float const*"), the
 * address of a function is without its parameters, and template arguments that are constants are decimal numbers:
 * without suffix ("5u"), base ("0x10") and type ("(ns::Kind)2"), also of characters ('a': 97), true and false. To be
 * freed; NULL: out of memory. */
char *plain_spelling(const char *from, const char *end);

#endif
