/* Draws docs/crash-states.svg: three ways to save a small file, and for each call of them every
 * disk that a power loss during that call can leave. The disks are those of the simulator, profile
 * posix. The test demands that the picture in docs/ is this one; to draw it anew,
 *
 *     UNTORN_PICTURE=$PWD/docs/crash-states.svg build/tests/sim-picture_test
 */
#include "harness.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <untorn.h>

#include "os/sim/explore.h"

enum { UNIT = 512, SIZE = 2 * UNIT, WIDTH = 870, DOTS_X = 355, STEP_X = 15, ROW = 27 };
enum kind { OLD, NEW, BROKEN, KINDS };

static char drawing[65536];
static size_t used;

__attribute__((format(printf, 1, 2))) static void draw(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    used += (size_t)vsnprintf(drawing + used, sizeof drawing - used, format, arguments);
    va_end(arguments);
    CHECK(used < sizeof drawing);
}

/* ---- three ways to save ---- */

static const char *text_of(char letter)
{
    static char text[SIZE + 1];
    memset(text, letter, SIZE);
    return text;
}

static void write_file(os_fd dir, const char *name, unsigned how, bool flush)
{
    os_fd file;
    CHECK_INT(os_open(dir, name, how, 0644, &file), 0);
    CHECK_INT(os_write_at(file, text_of('n'), SIZE, 0), SIZE);
    if (flush)
        CHECK_INT(os_flush(file), 0);
    CHECK_INT(os_close(file), 0);
}

static void overwrite(os_fd dir)
{
    write_file(dir, "notes", OS_WRITE, true);
}

static void rename_without_flush(os_fd dir)
{
    write_file(dir, "notes.new", OS_WRITE | OS_CREATE, false);
    CHECK_INT(os_rename(dir, "notes.new", dir, "notes", OS_REPLACE), 0);
    CHECK_INT(os_flush_dir(dir), 0);
}

static const struct untorn_options no_versions = {.keep = UNTORN_KEEP_NONE};

static void by_untorn(os_fd dir)
{
    (void)dir;
    CHECK_INT(untorn_write("/d/notes", text_of('n'), SIZE, &no_versions, NULL), 0);
}

/* ---- the disks ---- */

struct row {
    struct sim_set seen;
    int count[KINDS];
};

static enum kind kind_of(const struct sim_disk *disk)
{
    char found[SIZE];
    int dir = sim_disk_find(disk, SIM_ROOT, "d"), file = sim_disk_find(disk, dir, "notes");
    if (file == SIM_NO_INODE || disk->inodes[file].size != SIZE)
        return BROKEN;
    sim_disk_read(disk, file, found, SIZE, 0);
    for (enum kind kind = OLD; kind < BROKEN; kind++)
        if (memcmp(found, text_of("on"[kind]), SIZE) == 0)
            return kind;
    return BROKEN;
}

static void note_disk(void *context, const unsigned char *kept)
{
    struct row *row = context;
    struct sim_arena_mark mark = sim_arena_mark();
    struct sim_disk disk;
    sim_model_build(&sim->base, &sim->log, kept, &disk);
    CHECK(sim_disk_walk(&disk));
    if (sim_set_add(&row->seen, sim_disk_hash(&disk, false)))
        row->count[kind_of(&disk)]++;
    sim_arena_release(mark);
}

static struct row row_of(int call)
{
    struct row row = {0};
    struct sim_crash crash = {.base = &sim->base,
                              .log = &sim->log,
                              .profile = SIM_PROFILE_POSIX,
                              .call = call,
                              .limit = SIM_NO_LIMIT,
                              .together = "/.untorn/lock/",
                              .emit = note_disk,
                              .context = &row};
    CHECK(!sim_model_choices(&crash));
    sim_set_free(&row.seen);
    return row;
}

/* ---- drawing ---- */

static void draw_label(const struct sim_call *call, int x, int y)
{
    static const struct {
        enum sim_verb verb;
        const char *word;
    } words[] = {{SIM_OPEN, "make"},
                 {SIM_WRITE_AT, "write"},
                 {SIM_FLUSH, "flush"},
                 {SIM_RENAME, "rename"},
                 {SIM_FLUSH_DIR, "flush the folder"},
                 {SIM_LINK, "link"}};
    const char *path = call->name ? call->name : call->path;
    const char *own = strstr(path, ".untorn/"), *last = strrchr(path, '/');
    const char *name = own ? own : last ? last + 1 : path;
    size_t length = strcspn(name, "0") - (own != NULL); /* a number at the end tells nothing */
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (words[i].verb != call->verb)
            continue;
        draw("<text x=\"%d\" y=\"%d\">%s", x, y, words[i].word);
        if (call->verb != SIM_FLUSH_DIR)
            draw(" <tspan class=\"name\">%.*s</tspan>", (int)length, name);
        if (call->verb == SIM_RENAME)
            draw(" to <tspan class=\"name\">%s</tspan>", call->to_name);
        draw("</text>\n");
        return;
    }
    CHECK_TEXT(sim_verb_names[call->verb], "a call that has a word here");
}

static void draw_dots(const struct row *row, int y)
{
    int x = DOTS_X;
    for (enum kind kind = OLD; kind < KINDS; kind++) {
        for (int i = 0; i < row->count[kind]; i++, x += STEP_X) {
            CHECK(x < WIDTH - 20);
            if (kind == BROKEN)
                draw("<path class=\"broken\" d=\"M%d %dl9 9m0-9l-9 9\"/>\n", x - 4, y - 10);
            else
                draw("<circle class=\"%s\" cx=\"%d\" cy=\"%d\" r=\"5\"/>\n",
                     kind == OLD ? "old" : "new", x, y - 5);
        }
    }
}

static bool is_shown(const struct sim_call *call)
{
    return call->step_count > 0 || call->verb == SIM_FLUSH || call->verb == SIM_FLUSH_DIR;
}

/* Returns where the next one begins, and counts the disks. */
static int draw_way(const char *title, void (*save)(os_fd), int y, int *ret_count)
{
    struct sim_options options = {.unit = UNIT, .reuse = SIM_REUSE_AFTER_RESTART};
    os_fd dir;
    sim_start(&options);
    sim_make_dir("/d");
    sim_put("/d/notes", "earlier");
    CHECK_INT(untorn_write("/d/notes", "before", 6, &no_versions, NULL), 0);
    CHECK_INT(untorn_write("/d/notes", text_of('o'), SIZE, &no_versions, NULL), 0);
    sim_settle();
    CHECK_INT(os_open_dir(OS_NONE, "/d", false, &dir), 0);
    save(dir);
    draw("<text class=\"title\" x=\"24\" y=\"%d\">%s</text>\n", y, title);
    memset(ret_count, 0, sizeof *ret_count * KINDS);
    for (int i = 0; i <= sim->log.call_count; i++) {
        bool end = i == sim->log.call_count;
        if (!end && !is_shown(&sim->log.calls[i]))
            continue;
        struct row row = row_of(i);
        y += ROW;
        draw("<line class=\"grid\" x1=\"24\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n", y + 8, WIDTH - 24,
             y + 8);
        if (end)
            draw("<text class=\"done\" x=\"40\" y=\"%d\">done</text>\n", y);
        else
            draw_label(&sim->log.calls[i], 40, y);
        draw_dots(&row, y);
        for (int kind = 0; kind < KINDS; kind++)
            ret_count[kind] += row.count[kind];
    }
    return y + 2 * ROW;
}

static const char style[] =
    "text { font: 14px system-ui, sans-serif } .title { font-size: 16px; font-weight: 600 }\n"
    ".heading { font-size: 18px; font-weight: 600 }\n"
    ".name { font-family: ui-monospace, monospace }\n"
    ".done { font-weight: 600 } .old, .broken { fill: none; stroke-width: 2 }\n"
    ".broken { stroke-width: 3 }\n"
    ".paper { fill: #ffffff } text { fill: #57606a } .title, .heading { fill: #1f2328 }\n"
    ".grid { stroke: #d8dee4 } .old { stroke: #0969da } .new { fill: #1a7f37 }\n"
    ".broken { stroke: #cf222e }\n"
    "@media (prefers-color-scheme: dark) {\n"
    ".paper { fill: #0d1117 } text { fill: #9ea7b3 } .title, .heading { fill: #e6edf3 }\n"
    ".grid { stroke: #30363d } .old { stroke: #58a6ff } .new { fill: #3fb950 }\n"
    ".broken { stroke: #ff7b72 }\n"
    "}\n";

static void draw_legend(int y)
{
    draw("<circle class=\"old\" cx=\"29\" cy=\"%d\" r=\"5\"/><text x=\"42\" y=\"%d\">the old "
         "version, whole</text>\n",
         y - 5, y);
    draw("<circle class=\"new\" cx=\"219\" cy=\"%d\" r=\"5\"/><text x=\"232\" y=\"%d\">the new "
         "version, whole</text>\n",
         y - 5, y);
    draw("<path class=\"broken\" d=\"M410 %dl9 9m0-9l-9 9\"/><text x=\"427\" y=\"%d\">neither: "
         "torn, empty or gone</text>\n",
         y - 10, y);
}

static void draw_all(void)
{
    enum { HEIGHT = 661 };
    int count[KINDS], y = 148;
    draw("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" "
         "width=\"%d\" height=\"%d\">\n",
         WIDTH, HEIGHT, WIDTH, HEIGHT);
    draw("<title>What a power loss can leave of a file that is being saved</title>\n");
    draw("<style>\n%s</style>\n<rect class=\"paper\" width=\"%d\" height=\"%d\" rx=\"8\"/>\n",
         style, WIDTH, HEIGHT);
    draw("<text class=\"heading\" x=\"24\" y=\"36\">What a power loss can leave of a file that is "
         "being saved</text>\n");
    draw(
        "<text x=\"24\" y=\"58\">Each mark is a different disk that can be found if the power goes "
        "during the call on its left.</text>\n");
    draw("<text x=\"24\" y=\"78\">It shows what then is in the file:</text>\n");
    draw_legend(102);
    y = draw_way("Written over", overwrite, y, count);
    CHECK(count[BROKEN] > 0);
    y = draw_way("Written beside it and renamed, the new file not flushed", rename_without_flush, y,
                 count);
    CHECK(count[BROKEN] > 0);
    y = draw_way("untorn write", by_untorn, y, count);
    CHECK(count[OLD] > 0 && count[NEW] > 0 && count[BROKEN] == 0);
    CHECK_INT(y, HEIGHT + ROW);
    draw("</svg>\n");
}

TEST(the_picture_of_crash_states_is_what_the_simulator_finds)
{
    static char there[sizeof drawing];
    const char *asked = getenv("UNTORN_PICTURE"), *tests = getenv("TESTS");
    char path[4096];
    draw_all();
    snprintf(path, sizeof path, "%s/../docs/crash-states.svg", tests ? tests : ".");
    if (!asked && !tests)
        SKIP("TESTS does not say where the documents are");
    FILE *file = fopen(asked ? asked : path, asked ? "w" : "r");
    CHECK(file != NULL);
    if (asked)
        CHECK_INT(fwrite(drawing, 1, used, file), used);
    else
        CHECK(fread(there, 1, sizeof there - 1, file) > 0);
    CHECK_INT(fclose(file), 0);
    if (!asked)
        CHECK_TEXT(there, drawing);
}
