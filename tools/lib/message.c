/* Messages of errors, and the exit status. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/lib/command.h"
#include "tools/lib/names.h"
#include "tools/ui/printable.h"
#include "tools/ui/style.h"
#include "tracefmt/file_write.h"

int command_fail(const struct rp_error *err)
{
    struct rp_error plain = *err;
    char text[4 * sizeof plain.text + 16];
    plain_error(&plain);
    fprintf(stderr, "%sreprise:%s %s\n", style(stderr, STYLE_ERROR), style(stderr, STYLE_PLAIN),
            printable(plain.text, text, sizeof text));
    return err->status;
}

int command_finish(int status)
{
    bool printed = !fflush(stdout) && !ferror(stdout);
    if (printed || status != RP_OK)
        return status;
    struct rp_error err;
    rp_fail(&err, RP_SYSTEM, "cannot write to standard output: %s", file_write_error(errno));
    return command_fail(&err);
}
