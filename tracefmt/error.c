#include "tracefmt/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool rp_fail(struct rp_error *err, enum rp_status status, const char *format, ...)
{
    if (!err)
        return false;
    char text[sizeof err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    memcpy(err->text, text, sizeof text);
    err->status = status;
    return false;
}
