/* Demangling of C++ names, by the C++ library if it can be loaded. */
#include "frontend/check/names.h"

#include <ctype.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef char *(*demangler)(const char *, char *, size_t *, int *);
static demangler demangle;

static void find_demangler(void)
{
    void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    *(void **)&demangle = library ? dlsym(library, "__cxa_demangle") : NULL;
}

/* Takes out the namespaces that nvcc makes for what is static in a header; they are others in each build. */
static void drop_internal(char *text)
{
    for (char *at = text; (at = strstr(at, "_INTERNAL_"));) {
        char *end = strstr(at, "::");
        if (!end)
            return;
        memmove(at, end + 2, strlen(end + 2) + 1);
    }
}

char *name_demangled(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int status;
    pthread_once(&once, find_demangler);
    char *text = demangle ? demangle(name, NULL, NULL, &status) : NULL;
    /* demangled names of templates begin with the return type, which is void for kernels */
    if (text && !strncmp(text, "void ", 5))
        memmove(text, text + 5, strlen(text + 5) + 1);
    if (text)
        drop_internal(text);
    return text;
}

static void print_one(FILE *to, const char *name, size_t length)
{
    char *mangled = strndup(name, length), *readable = mangled ? name_demangled(mangled) : NULL;
    if (readable)
        fputs(readable, to);
    else
        fwrite(name, 1, length, to);
    free(readable);
    free(mangled);
}

static bool in_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.'; }

/* The next word that is a mangled name; NULL: there is none. */
static const char *next_mangled(const char *text)
{
    for (const char *at = text; (at = strstr(at, "_Z")); at += 2)
        if (at == text || !in_word(at[-1]))
            return at;
    return NULL;
}

void print_readable(FILE *to, const char *text)
{
    for (const char *at; (at = next_mangled(text)); text = at) {
        size_t length = 0;
        while (in_word(at[length]))
            length++;
        fwrite(text, 1, (size_t)(at - text), to);
        print_one(to, at, length);
        at += length;
    }
    fputs(text, to);
}
