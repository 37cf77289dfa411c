/* Text in traces and in JSON is UTF-8 (RFC 3629); file names and symbols may be anything. */
#ifndef REPRISE_TRACEFMT_UTF8_H
#define REPRISE_TRACEFMT_UTF8_H

/* Makes each byte that is no part of a character a '?'. */
void rp_utf8_repair(char *text);

#endif
