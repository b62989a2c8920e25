/* untorn apply: a patch of a document, all of it or nothing, under the lock. */
#include <string.h>

#include "document.h"
#include "options.h"

/* A patch in the command line begins as every object and list does; a file of such a name would be
 * ./{ or ./[. */
static bool is_patch_text(const char *patch)
{
    return *patch == '{' || *patch == '[';
}

static int check_patch(const struct arguments *arguments, const char *patch)
{
    if (!patch)
        return usage_error(arguments->verb, "--merge-patch or --json-patch is missing");
    if (strcmp(patch, "-") == 0 && is_filter(arguments))
        return usage_error(arguments->verb, "FILE and PATCH cannot both be standard input");
    return 0;
}

static int run_apply(struct arguments *arguments)
{
    struct outcome outcome = outcome_begin(arguments, arguments->operands[0]);
    const char *patch = arguments->merge_patch ? arguments->merge_patch : arguments->json_patch;
    struct bytes read = {0};
    struct untorn_edit edit = {
        .kind = arguments->merge_patch ? UNTORN_MERGE_PATCH : UNTORN_JSON_PATCH,
        .syntax = UNTORN_AS_JSON,
    };
    int status = check_patch(arguments, patch);
    if (status != 0)
        return status;
    if (is_patch_text(patch)) {
        edit.value = patch;
        edit.value_size = strlen(patch);
        edit_document(&outcome, &edit, 1);
    } else if (read_source(&outcome, patch, &read)) {
        edit.value = read.data ? read.data : "";
        edit.value_size = read.size;
        edit_document(&outcome, &edit, 1);
    }
    bytes_free(&read);
    return outcome_finish(&outcome);
}

const struct verb verb_apply = {
    .name = "apply",
    .operands = "FILE",
    .summary = "apply a JSON Patch or Merge Patch to the document FILE",
    .explanation =
        "Carries out all of a patch or nothing, under the lock, on JSON and TOML alike;\n"
        "what the patch does not touch keeps its bytes. PATCH is the patch itself if it\n"
        "begins with { or [, else a file that holds it, or - for standard input. A test\n"
        "in a JSON Patch that fails leaves FILE as it is and ends with 5: compare and\n"
        "set. FILE - filters standard input (with --format).",
    .examples =
        "  untorn apply app.toml --merge-patch '{\"server\": {\"port\": 81, \"debug\": null}}'\n"
        "  untorn apply state.json --json-patch change.json\n",
    .exits = "  0  done\n"
             "  1  failed, the old content stays\n"
             "  2  usage; PATCH is no patch; not known what kind of document FILE is\n"
             "  3  no such PATCH, no such key, no such directory\n"
             "  4  FILE is no document of its kind, or not a regular file; it stays\n"
             "  5  a test in PATCH failed; FILE changed (--if-match)\n"
             "  6  lock not obtained in time\n"
             "  7  not settled: saved, but not confirmed on the disk, or not reported\n",
    .options = OPTION_MERGE_PATCH | OPTION_JSON_PATCH | OPTION_FORMAT | OPTION_IF_MATCH |
               OPTION_KEEP | OPTION_LEVEL | OPTION_MODE | OPTION_PARENTS | OPTION_KEEP_INODE |
               OPTION_SYMLINK | OPTION_WAIT | OPTION_LOCK_FILE | OPTION_STATE_DIR | OPTION_STRICT |
               OPTION_DRY_RUN | OPTION_REPORT,
    .filter_options = OPTION_MERGE_PATCH | OPTION_JSON_PATCH | OPTION_FORMAT,
    .filters = true,
    .one_path = true,
    .fewest = 1,
    .most = 1,
    .run = run_apply,
};
