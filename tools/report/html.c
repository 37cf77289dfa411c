#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "tools/lib/cleanup.h"
#include "tools/lib/output.h"
#include "tools/report/report.h"
#include "tools/results/identity.h"
#include "tools/ui/figure.h"
#include "tracefmt/file_write.h"

bool report_check(const char *path, struct rp_error *err)
{
    if (!report_library_size)
        return rp_fail(err, RP_SYSTEM,
                       "this reprise was built without D3, which draws the charts; install Debian's node-d3 and build "
                       "it again");
    if (!output_check(path, INPUT_OTHER, err))
        return false;
    cleanup_expect(path);
    return true;
}

/* ---- data -------------------------------------------------------------------------------------------------------- */

char *report_command(char *const *words)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
    size_t size = sizeof "reprise";
    for (char *const *w = words; *w; w++)
        size += 4 * strlen(*w) + 3;
    char *text = malloc(size), *to = text ? stpcpy(text, "reprise") : NULL;
    for (char *const *w = words; text && *w; w++) {
        bool quoted = !**w || (*w)[strspn(*w, plain)];
        to = stpcpy(to, quoted ? " '" : " ");
        for (const char *c = *w; *c; c++)
            if (*c == '\'')
                to = stpcpy(to, "'\\''");
            else
                *to++ = *c;
        to = stpcpy(to, quoted ? "'" : "");
    }
    return text;
}

json_t *report_begin(const char *kind, const char *title, const char *command)
{
    char date[32];
    struct tm tm;
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
    return json_pack("{s:s, s:o, s:{s:s, s:s, s:o, s:s}}", "kind", kind, "title", json_text(title), "made", "tool",
                     "reprise " REPRISE_VERSION, "timing", result_timing, "command", json_text(command), "date", date);
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/* Within a page the data must not end their element, nor begin a comment: no "<". */
static int put_data(const char *text, size_t size, void *file)
{
    for (size_t done = 0; done < size;) {
        const char *from = text + done, *mark = memchr(from, '<', size - done);
        size_t n = mark ? (size_t)(mark - from) : size - done;
        fwrite(from, 1, n, file);
        if (mark)
            fputs("\\u003c", file);
        done += n + (mark != NULL);
    }
    return ferror((FILE *)file) ? -1 : 0;
}

static bool put_page(json_t *data, FILE *to)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"generator\" content=\"reprise " REPRISE_VERSION "\">\n"
          "<title>Reprise report</title>\n<style>\n",
          to);
    fwrite(report_style, 1, report_style_size, to);
    fputs("</style>\n</head>\n<body>\n<noscript>This report draws its charts and tables with scripts that are in it; "
          "please allow them.</noscript>\n<main id=\"report\"></main>\n<script type=\"application/json\" id=\"data\">",
          to);
    bool fine = !json_dump_callback(data, put_data, to, JSON_COMPACT | JSON_REAL_PRECISION(9));
    fputs("</script>\n<script type=\"text/plain\" id=\"licence\">\n", to);
    fwrite(report_licence, 1, report_licence_size, to);
    fputs("</script>\n<script id=\"d3\">\n", to);
    fwrite(report_library, 1, report_library_size, to);
    fputs("\n</script>\n<script id=\"page\">\n\"use strict\";\n", to);
    fwrite(report_script, 1, report_script_size, to);
    fputs("</script>\n</body>\n</html>\n", to);
    return fine;
}

bool report_write(const char *path, json_t *data, struct rp_error *err)
{
    bool whole = data && !json_lost();
    struct output *out = whole ? output_open(path, err) : NULL;
    if (!whole)
        rp_fail(err, RP_SYSTEM, "no report: memory ran out");
    bool put = out && (put_page(data, out->to) ||
                       rp_fail(err, RP_SYSTEM, "cannot write '%s': %s", path, file_write_error(errno)));
    json_decref(data);
    return output_close(out, put, err) && put;
}

void report_say(const char *path, size_t count, const char *one, const char *several)
{
    struct stat st;
    char number[FIGURE], bytes[FIGURE];
    printf("%s: %s %s, %s bytes\n", path, figure(count, number), count == 1 ? one : several,
           figure(stat(path, &st) ? 0 : (uint64_t)st.st_size, bytes));
}
