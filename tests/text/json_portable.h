/* The scanner of JSON once more, without vectors, under names that begin with portable_. For one
 * source of a program, of the tests or of a fuzzer. */
#ifndef UNTORN_TESTS_TEXT_JSON_PORTABLE_H
#define UNTORN_TESTS_TEXT_JSON_PORTABLE_H

#include "text/json_scan.h"

#define JSON_SCAN_PORTABLE
#define json_scan_begin portable_begin
#define json_scan_feed portable_feed
#define json_scan_next portable_next
#define json_scan_skip portable_skip
#define json_scan_rest portable_rest
#define json_token_text portable_text
#define json_bulk portable_bulk
void json_scan_begin(struct json_scanner *scanner, enum untorn_format format);
void json_scan_feed(struct json_scanner *scanner, const char *text, size_t size, bool last);
enum json_token json_scan_next(struct json_scanner *scanner);
enum json_token json_scan_skip(struct json_scanner *scanner, size_t depth);
enum json_token json_scan_rest(struct json_scanner *scanner);
const char *json_token_text(const struct json_scanner *scanner);
#include "text/json_bulk.c"
#include "text/json_scan.c"
#undef json_scan_begin
#undef json_scan_feed
#undef json_scan_next
#undef json_scan_skip
#undef json_scan_rest
#undef json_token_text
#undef json_bulk

#endif
