#include "txn/commits.h"

#include "txn/seat.h"

static struct untorn_error error;
static struct untorn_options options;
static struct seats seats;
static bool vouched;

static struct seat *take(const char *path)
{
    struct place place;
    struct state state;
    CHECK_INT(place_resolve(path, &options, &place, &error), 0);
    CHECK_INT(state_open(&place, &options, STATE_CREATE, &state, &error), 0);
    struct seat *seat = seats_take(&seats, &place, &state);
    CHECK(seat);
    return seat;
}

TEST(members_of_one_directory_share_a_seat)
{
    make_dir("d", 0755);
    int before = open_descriptors();
    struct seat *seat = take("d/x");
    CHECK(take("d/y") == seat);
    CHECK(take("z") != seat);
    CHECK_INT(seats.count, 2);
    CHECK_TEXT(seat->path, full_path("d"));
    seats_close(&seats);
    CHECK_INT(open_descriptors(), before);
}

static void forget(struct slot_directory *directory)
{
    free(directory->path);
    free(directory->relative);
    free(directory->state_dir);
}

static const char *relative(const char *from, const char *to)
{
    static char text[64];
    struct slot_directory directory;
    struct seat one = {.path = (char *)from}, other = {.path = (char *)to};
    CHECK_INT(seat_describe(&other, &one, &directory), 0);
    snprintf(text, sizeof text, "%s", directory.relative);
    forget(&directory);
    return text;
}

TEST(a_directory_is_described_from_another)
{
    CHECK_TEXT(relative("/x/a", "/x/b"), "../b");
    CHECK_TEXT(relative("/x/a", "/x/ab"), "../ab");
    CHECK_TEXT(relative("/x", "/x/y/z"), "y/z");
    CHECK_TEXT(relative("/x/y/z", "/x"), "../../");
    CHECK_TEXT(relative("/", "/a"), "a");
    CHECK_TEXT(relative("/a", "/"), "../");
    CHECK_TEXT(relative("/a", "/a"), ".");
}

TEST(a_directory_that_a_slot_names_is_found_where_it_is_and_where_it_was_moved_with_us)
{
    struct slot_directory directory;
    struct seat *found;
    make_dir("top", 0755);
    make_dir("top/a", 0755);
    make_dir("top/b", 0755);
    struct seat *a = take("top/a/x"), *b = take("top/b/x");
    CHECK_INT(seat_describe(b, a, &directory), 0);
    CHECK_INT(seats_open(&seats, &directory, a, &found), 0);
    CHECK(found == b);
    CHECK_INT(rename("top", "moved"), 0);
    CHECK_INT(seats_open(&seats, &directory, a, &found), 0);
    CHECK(found == b);
    CHECK_INT(rename("moved/b", "elsewhere"), 0);
    CHECK_INT(seats_open(&seats, &directory, a, &found), -ENOENT);
    make_dir("moved/b", 0755);
    CHECK_INT(seats_open(&seats, &directory, a, &found), -ENOENT); /* [SEAT-1] */
    forget(&directory);
    seats_close(&seats);
}

/* A participant in "b" of a commit whose coordinator is "a", cut off before its members changed. */
static struct seat *prepared(void)
{
    static const struct step steps[] = {PUT("a/x", "1"), PUT("b/x", "2"), {0}};
    make_dir("a", 0755);
    make_dir("b", 0755);
    die_at(steps, CALL_RENAME, "a/x", 1);
    struct seat *seat = take("b/x");
    CHECK_INT(seat_read(seat), 0);
    CHECK_INT(seat->slot.state, SLOT_PREPARED);
    return seat;
}

TEST(a_participant_asks_its_coordinator)
{
    struct seat *coordinator, *seat = prepared();
    CHECK_INT(seat_decide(seat, &seats, &coordinator, &vouched), DECIDED_YES);
    CHECK(coordinator == take("a/x"));
    seat->slot.id[0] ^= 1;
    CHECK_INT(seat_decide(seat, &seats, &coordinator, &vouched), DECIDED_NO);
    seat->slot.id[0] ^= 1;
    seat->slot.index = 1; /* the coordinator does not know it */
    CHECK_INT(seat_decide(seat, &seats, &coordinator, &vouched), DECIDED_NO);
    seat->slot.index = 0;
    CHECK_INT(rename("a", "away"), 0);
    CHECK_INT(seat_decide(seat, &seats, &coordinator, &vouched), DECIDED_NOT);
    seats_close(&seats);
}

/* It is looked for again. */
static void remove_slot(struct seat *seat)
{
    CHECK_INT(unlink("a/.untorn/journal/slot"), 0);
    slot_file_close(&seat->file);
    slot_free(&seat->slot);
    seat->slot = (struct slot){0};
    seat->was_read = false;
}

TEST(a_decision_that_is_kept_outlives_the_slot)
{
    struct seat *coordinator, *seat = prepared();
    CHECK_INT(seat_decide(seat, &seats, &coordinator, &vouched), DECIDED_YES);
    CHECK_INT(seat_has_decision(coordinator, seat), 0);
    CHECK_INT(seat_keep_decision(coordinator, 0), 0);
    CHECK_INT(seat_has_decision(coordinator, seat), 1);
    remove_slot(coordinator);
    CHECK_INT(seat_decide(seat, &seats, &coordinator, &vouched), DECIDED_YES);
    seat_drop_decision(coordinator, seat);
    CHECK_INT(seat_decide(seat, &seats, &coordinator, &vouched), DECIDED_NO);
    CHECK(vouched);
    CHECK_INT(rename("a/.untorn/journal", "a/.untorn/was"), 0);
    CHECK_INT(seat_decide(seat, &seats, &coordinator, &vouched), DECIDED_NOT); /* [SEAT-3] */
    CHECK_INT(mkdir("a/.untorn/journal", 0755), 0);
    CHECK_INT(seat_decide(seat, &seats, &coordinator, &vouched), DECIDED_NOT);
    seat->slot.level = UNTORN_CACHE;
    CHECK_INT(seat_decide(seat, &seats, &coordinator, &vouched), DECIDED_NO);
    CHECK(!vouched);
    seats_close(&seats);
}

/* It is there: that counts. Somebody may have moved a file of ours to that name. */
TEST(what_lies_where_a_decision_is_kept_is_neither_written_nor_opened_to_others)
{
    char entry[4096];
    struct seat *coordinator, *seat = prepared();
    CHECK_INT(seat_decide(seat, &seats, &coordinator, &vouched), DECIDED_YES);
    CHECK_INT(seat_keep_decision(coordinator, 0), 0);
    snprintf(entry, sizeof entry, "%s", only_entry("a/.untorn/journal", ".0."));
    put("secret", "secret");
    CHECK_INT(chmod("secret", 0600), 0);
    CHECK_INT(rename("secret", entry), 0);
    CHECK_INT(seat_keep_decision(coordinator, 0), 0);
    CHECK_TEXT(text_of(entry), "secret");
    CHECK_INT(mode_of(entry), 0600);
    CHECK_INT(seat_has_decision(coordinator, seat), 1);
    CHECK_INT(unlink(entry), 0);
    CHECK_INT(symlink("slot", entry), 0);
    CHECK_INT(seat_keep_decision(coordinator, 0), -EEXIST);
    seats_close(&seats);
}

/* [SEAT-2] */
TEST(a_decision_is_that_directory_s_alone_for_which_it_was_kept)
{
    struct seat *coordinator, *seat = prepared();
    CHECK_INT(seat_decide(seat, &seats, &coordinator, &vouched), DECIDED_YES);
    CHECK_INT(seat_keep_decision(coordinator, 0), 0);
    for (int i = 0; i < 2; i++) {
        struct seat other = *seat;
        other.place.dir_stat.inode ^= i == 0;
        other.place.dir_stat.born ^= i == 1;
        CHECK_INT(seat_has_decision(coordinator, &other), 0);
        seat_drop_decision(coordinator, &other);
        CHECK_INT(seat_has_decision(coordinator, seat), 1);
    }
    seats_close(&seats);
}

TEST(a_decision_of_an_older_version_is_believed_and_stays)
{
    char older[4096];
    struct seat *coordinator, *seat = prepared();
    CHECK_INT(seat_decide(seat, &seats, &coordinator, &vouched), DECIDED_YES);
    slot_id_text(seat->slot.id, older + sprintf(older, "a/.untorn/journal/"));
    strcat(older, ".0");
    put(older, seat->path);
    remove_slot(coordinator);
    CHECK_INT(seat_decide(seat, &seats, &coordinator, &vouched), DECIDED_YES);
    seat_drop_decision(coordinator, seat);
    CHECK_INT(seat_decide(seat, &seats, &coordinator, &vouched), DECIDED_YES);
    seats_close(&seats);
}
