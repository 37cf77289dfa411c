/* Text in traces and in JSON is UTF-8 (RFC 3629); file names and symbols may be anything. */
#ifndef REPRISE_TRACEFMT_UTF8_H
#define REPRISE_TRACEFMT_UTF8_H

/* Replaces each byte that does not belong to a character by '?'. */
void rp_utf8_repair(char *text);

#endif
