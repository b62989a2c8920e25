/* Patches. The input: format of the document, kind of patch ("jm"), the patch ended by NUL, the
 * document.
 *
 * A patch that fails leaves nothing; one that succeeds leaves a document. The layout does not
 * decide what it does. A merge patch done twice is one done once. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "text/document.h"
#include "text/format.h"

static int apply_patch(const struct fuzz_text *text, enum untorn_format format,
                       const struct untorn_edit *edit, struct fuzz_text *ret_text)
{
    struct untorn_error error = {0};
    struct fuzz_text before = fuzz_copy(text->data, text->size);
    int rc = document_edit(text->data, text->size, format, edit, 1, &ret_text->data,
                           &ret_text->size, &error);
    REQUIRE(rc <= 0 && error.status == -rc);
    REQUIRE(rc != -UNTORN_MISPLANNED);
    REQUIRE((rc == 0) == (ret_text->data != NULL));
    REQUIRE(memcmp(before.data, text->data, text->size) == 0);
    free(before.data);
    return rc;
}

static void check_other_layout(const struct parsed *parsed, const struct untorn_edit *edit,
                               int expected, const struct untorn_node *expected_root)
{
    struct fuzz_text other, patched;
    fuzz_rewrite(parsed, &other);
    int rc = apply_patch(&other, parsed->format, edit, &patched);
    bool refused = format_is_toml(parsed->format) &&
                   (rc == -UNTORN_TYPE || expected == -UNTORN_TYPE); /* to keep its comments */
    REQUIRE(rc == expected || refused);
    if (rc == 0 && !refused) {
        struct parsed again = fuzz_parse(patched.data, patched.size, parsed->format);
        REQUIRE(node_equal(again.root, expected_root));
        parsed_free(&again);
    }
    free(patched.data);
    free(other.data);
}

static void check_twice(const struct fuzz_text *patched, enum untorn_format format,
                        const struct untorn_edit *edit)
{
    struct fuzz_text twice;
    REQUIRE(apply_patch(patched, format, edit, &twice) == 0);
    REQUIRE(twice.size == patched->size);
    REQUIRE(memcmp(twice.data, patched->data, twice.size) == 0);
    free(twice.data);
}

static void check_patch(const struct fuzz_text *text, const struct parsed *parsed,
                        const struct untorn_edit *edit)
{
    struct fuzz_text patched;
    struct parsed after = {0};
    int rc = apply_patch(text, parsed->format, edit, &patched);
    if (rc == 0)
        after = fuzz_parse(patched.data, patched.size, parsed->format);
    check_other_layout(parsed, edit, rc, after.root);
    if (rc == 0 && edit->kind == UNTORN_MERGE_PATCH)
        check_twice(&patched, parsed->format, edit);
    parsed_free(&after);
    free(patched.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    enum untorn_format format = fuzz_format(&input);
    bool merges = fuzz_byte(&input) % 2; /* 'm' is odd, 'j' even */
    struct fuzz_text patch = fuzz_field(&input), text = fuzz_rest(&input), none;
    struct untorn_edit edit = {.kind = merges ? UNTORN_MERGE_PATCH : UNTORN_JSON_PATCH,
                               .value = patch.data,
                               .value_size = patch.size};
    struct parsed parsed;
    struct flaw flaw;
    if (parse(text.data, text.size, format, &parsed, &flaw) == 0) {
        check_patch(&text, &parsed, &edit);
        parsed_free(&parsed);
    } else {
        REQUIRE(apply_patch(&text, format, &edit, &none) == -UNTORN_DAMAGED);
    }
    free(patch.data);
    free(text.data);
    return 0;
}
