#include <string.h>

#include "win/inside.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Up to its closing quote, or to the first blank. */
static char *split_program(char *text, char **ret_word)
{
    bool quoted = *text == '"';
    char *end = text += quoted;
    while (*end && (quoted ? *end != '"' : !is_blank(*end)))
        end++;
    *ret_word = text;
    if (!*end)
        return end;
    *end = '\0';
    return end + 1;
}

/* One word; what it means is shorter than how it is written, so it is put over that. */
static char *split_word(char *text, char **ret_word)
{
    char *to = text;
    bool quoted = false;
    *ret_word = text;
    while (*text && (quoted || !is_blank(*text))) {
        size_t backslashes = strspn(text, "\\");
        bool before_quote = text[backslashes] == '"';
        size_t meant = before_quote ? backslashes / 2 : backslashes;
        memset(to, '\\', meant);
        to += meant;
        text += backslashes;
        if (before_quote && backslashes % 2 == 1) {
            *to++ = *text++;
        } else if (before_quote && quoted && text[1] == '"') {
            *to++ = '"';
            text += 2;
        } else if (before_quote) {
            quoted = !quoted;
            text++;
        } else if (backslashes == 0) {
            *to++ = *text++;
        }
    }
    text += *text != '\0';
    *to = '\0';
    return text;
}

size_t commandline_split(char *text, bool program_first, char **words, size_t most)
{
    size_t count = 0;
    if (program_first)
        text = split_program(text, &words[count++]);
    for (;;) {
        while (is_blank(*text))
            text++;
        if (!*text || count == most)
            return *text ? most + 1 : count;
        text = split_word(text, &words[count++]);
    }
}

static bool add_text(struct bytes *line, const char *text)
{
    return bytes_append(line, text, strlen(text));
}

bool commandline_add(struct bytes *line, const char *word)
{
    bool done = line->size == 0 || add_text(line, " ");
    if (*word && !word[strcspn(word, " \t\n\r\v\"")])
        return done && add_text(line, word);
    done = done && add_text(line, "\"");
    while (done && *word) {
        size_t backslashes = strspn(word, "\\");
        char next = word[backslashes];
        bool doubled = next == '"' || next == '\0'; /* before the closing quote too */
        for (size_t i = 0; done && i < backslashes; i++)
            done = add_text(line, doubled ? "\\\\" : "\\");
        word += backslashes;
        if (done && next == '"')
            done = add_text(line, "\\\"");
        else if (done && next)
            done = bytes_append(line, word, 1);
        word += next != '\0';
    }
    return done && add_text(line, "\"");
}
