/* Which disks a crash can leave, place by place: see model.h.
 *
 * A place is something of which the disk holds one version: a unit of a file, its size, its meta,
 * or a set of names that hang together because renames move files between them. Its choices are
 * its versions. First the names are chosen; then, for what can be reached by them, the content.
 */
#include "os/sim/model.h"

#include <limits.h>
#include <string.h>

enum { SUBSET_BITS = 12, CHOICES_MAX = 1 << SUBSET_BITS, CONTENTS_MIN = 16, SHARE_MAX = 4096 };

struct choice {
    int *steps;
    int count;
};

struct place {
    struct choice *choices; /* the first is "nothing", the last "everything" */
    int count, capacity;
    int chosen;
};

/* What some inodes add to the hash of the disk, for each choice of their contents. */
struct share {
    const int *inodes;
    int inode_count, first, count; /* of their places among the contents */
    uint64_t *hashes;
};

struct finder {
    const struct sim_crash *crash;
    enum sim_standing *standing; /* per step, as the chosen names leave it */
    bool *together;              /* per inode: see sim_crash; or NULL */
    struct place *names, *contents;
    int name_count, name_capacity, content_count, content_capacity;
    unsigned char *kept;
    bool counting;       /* how much there is, before it is looked at */
    double arrangements; /* of names, different ones */
    double total;        /* of all choices */
    int content_limit;
    struct share *shares;
    int share_count, share_capacity;
    uint64_t rest; /* of the hash: what all other inodes add */
    bool foretells;
    uint64_t random;
    struct sim_set seen; /* arrangements of names at this crash point */
    bool sampled;
};

static uint64_t next_random(struct finder *finder)
{
    finder->random += 0x9e3779b97f4a7c15ull;
    return sim_mix(finder->random, finder->random >> 29);
}

/* ---- walking the choices of several places ---- */

static double product(const struct place *places, int count)
{
    double total = 1;
    for (int i = 0; i < count; i++)
        total *= places[i].count;
    return total;
}

static void choose_all(struct place *places, int count, bool last)
{
    for (int i = 0; i < count; i++)
        places[i].chosen = last ? places[i].count - 1 : 0;
}

typedef void visitor(struct finder *finder);

static void walk_all(struct finder *finder, struct place *places, int count, visitor *visit)
{
    choose_all(places, count, false);
    for (;;) {
        visit(finder);
        int i = 0;
        while (i < count && ++places[i].chosen == places[i].count)
            places[i++].chosen = 0;
        if (i == count)
            return;
    }
}

/* Nothing, everything, everything but one, only one, one without another, then at random. */
static void walk_sample(struct finder *finder, struct place *places, int count, int limit,
                        visitor *visit)
{
    int left = limit;
    finder->sampled = true;
    for (int last = 0; last < 2; last++) {
        choose_all(places, count, last);
        visit(finder);
        for (int i = 0; i < count; i++) {
            for (int c = 0; c < places[i].count && left > 0; c++, left--) {
                choose_all(places, count, last);
                places[i].chosen = c;
                visit(finder);
            }
        }
    }
    for (int i = 0; i < count && left > limit / 2; i++) {
        for (int j = 0; j < count && left > limit / 2; j++) {
            if (i == j)
                continue;
            choose_all(places, count, true);
            places[i].chosen = 0;
            places[j].chosen = 0;
            visit(finder);
            left--;
        }
    }
    for (; left > 0; left--) {
        for (int i = 0; i < count; i++)
            places[i].chosen = (int)(next_random(finder) % (uint64_t)places[i].count);
        visit(finder);
    }
}

static void walk(struct finder *finder, struct place *places, int count, int limit, visitor *visit)
{
    if (product(places, count) <= limit)
        walk_all(finder, places, count, visit);
    else
        walk_sample(finder, places, count, limit, visit);
}

/* ---- making places ---- */

static void add_choice(struct place *place, const int *steps, int count)
{
    SIM_GROW(place->choices, place->count, place->capacity);
    place->choices[place->count++] =
        (struct choice){sim_alloc_copy(steps, sizeof *steps * (size_t)count), count};
}

/* One choice per step, and none. */
static struct place versions_of(const int *steps, int count)
{
    struct place place = {0};
    add_choice(&place, NULL, 0);
    for (int i = 0; i < count; i++)
        add_choice(&place, &steps[i], 1);
    return place;
}

static bool is_open_leader(const struct finder *finder, int step)
{
    const struct sim_crash *crash = finder->crash;
    return finder->standing[step] == SIM_UNDECIDED &&
           sim_model_group(crash->log, crash->profile, step) == step;
}

/* Appends the steps of a group to `steps`. */
static int group_steps(const struct finder *finder, int group, int *steps, int count)
{
    const struct sim_log *log = finder->crash->log;
    enum sim_profile profile = finder->crash->profile;
    for (int i = group; i < log->step_count && sim_model_group(log, profile, i) == group; i++)
        steps[count++] = i;
    return count;
}

/* The groups in order: the first few. */
static struct place first_few(const struct finder *finder, const int *groups, int group_count)
{
    struct place place = {0};
    int *steps = sim_alloc(sizeof *steps * (size_t)finder->crash->log->step_count), count = 0;
    add_choice(&place, NULL, 0);
    for (int i = 0; i < group_count; i++) {
        count = group_steps(finder, groups[i], steps, count);
        add_choice(&place, steps, count);
    }
    return place;
}

/* What a choice of groups makes of the names, as a hash: who comes last at each name. */
static uint64_t names_result(const struct finder *finder, const int *steps, int count)
{
    const struct sim_log *log = finder->crash->log;
    uint64_t hash = 1;
    for (int i = 0; i < count; i++) {
        const struct sim_step *step = &log->steps[steps[i]];
        bool last = true;
        for (int j = i + 1; last && j < count; j++)
            last = log->steps[steps[j]].dir != step->dir ||
                   strcmp(log->steps[steps[j]].name, step->name) != 0;
        uint64_t one = sim_mix((uint64_t)step->dir + 1, (uint64_t)step->inode + 2);
        if (last)
            hash += sim_mix_bytes(one, step->name, strlen(step->name));
    }
    return hash;
}

/* All subsets of the groups that give different results; a sample if they are many. */
static struct place subsets_of(struct finder *finder, const int *groups, int group_count)
{
    struct place place = {0};
    int *steps = sim_alloc(sizeof *steps * (size_t)finder->crash->log->step_count * 3);
    uint64_t *results = sim_alloc(sizeof *results * (CHOICES_MAX + 1));
    bool few = group_count <= SUBSET_BITS;
    int tries = few ? 1 << group_count : CHOICES_MAX;
    finder->sampled |= !few;
    for (int t = 0; t < tries; t++) {
        uint64_t mask = few ? (uint64_t)t : next_random(finder);
        if (!few && t < 2 * group_count) /* the first few, all but one; then at random */
            mask = t < group_count ? (1ull << t) - 1 : ~(1ull << (t - group_count));
        if (t == tries - 1)
            mask = ~0ull;
        int count = 0, known = 0;
        for (int g = 0; g < group_count; g++)
            if (g >= 63 || (mask >> g & 1))
                count = group_steps(finder, groups[g], steps, count);
        uint64_t result = names_result(finder, steps, count);
        while (known < place.count && results[known] != result)
            known++;
        if (known == place.count) {
            results[known] = result;
            add_choice(&place, steps, count);
        } else if (t == tries - 1) { /* everything comes last */
            struct choice all = place.choices[known];
            place.choices[known] = place.choices[place.count - 1];
            place.choices[place.count - 1] = all;
        }
    }
    return place;
}

/* Whether two groups have a name in common. */
static bool groups_meet(const struct finder *finder, int one, int other)
{
    const struct sim_log *log = finder->crash->log;
    enum sim_profile profile = finder->crash->profile;
    int end = log->step_count;
    for (int i = one; i < end && sim_model_group(log, profile, i) == one; i++)
        for (int j = other; j < end && sim_model_group(log, profile, j) == other; j++)
            if (log->steps[i].dir == log->steps[j].dir &&
                strcmp(log->steps[i].name, log->steps[j].name) == 0)
                return true;
    return false;
}

static void add_place(struct place **places, int *count, int *capacity, struct place place)
{
    if (place.count < 2)
        return;
    SIM_GROW(*places, *count, *capacity);
    (*places)[(*count)++] = place;
}

/* Splits the open groups of names into sets that hang together. */
static void make_names(struct finder *finder)
{
    const struct sim_log *log = finder->crash->log;
    int *groups = sim_alloc(sizeof *groups * (size_t)log->step_count), count = 0;
    int *set = sim_alloc(sizeof *set * (size_t)log->step_count);
    for (int i = 0; i < log->step_count; i++)
        if (log->steps[i].kind == SIM_EFFECT_NAME && is_open_leader(finder, i))
            groups[count++] = i;
    if (sim_model_is_ordered(finder->crash->profile)) {
        add_place(&finder->names, &finder->name_count, &finder->name_capacity,
                  first_few(finder, groups, count));
        return;
    }
    for (int i = 0; i < count; i++)
        set[i] = i;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            if (set[i] != set[j] && groups_meet(finder, groups[j], groups[i]))
                for (int k = 0, from = set[i], to = set[j]; k < count; k++)
                    set[k] = set[k] == from ? to : set[k];
    int *own = sim_alloc(sizeof *own * (size_t)log->step_count);
    for (int s = 0; s < count; s++) {
        int n = 0;
        for (int i = 0; i < count; i++)
            if (set[i] == s)
                own[n++] = groups[i];
        if (n > 0)
            add_place(&finder->names, &finder->name_count, &finder->name_capacity,
                      subsets_of(finder, own, n));
    }
}

/* ---- content ---- */

static void add_content(struct finder *finder, struct place place)
{
    add_place(&finder->contents, &finder->content_count, &finder->content_capacity, place);
}

/* The open steps of one kind (and block) of an inode; grown blocks only if `grown`. */
static int open_steps(const struct finder *finder, int inode, enum sim_effect_kind kind, int index,
                      bool grown, int *steps)
{
    const struct sim_log *log = finder->crash->log;
    int count = 0;
    for (int i = 0; i < log->step_count; i++) {
        const struct sim_step *step = &log->steps[i];
        bool is_block = step->kind == SIM_EFFECT_BLOCK || step->kind == SIM_EFFECT_GARBAGE;
        if (finder->standing[i] == SIM_UNDECIDED && step->inode == inode &&
            (step->kind == kind || (is_block && kind == SIM_EFFECT_BLOCK)) &&
            (!is_block || (step->index == index && (grown || !step->grown))))
            steps[count++] = i;
    }
    return count;
}

/* Unordered: any version. But a cut leaves its mark under later sizes: then all subsets. */
static struct place sizes_of(struct finder *finder, const int *steps, int count)
{
    const struct sim_log *log = finder->crash->log;
    bool cut = false;
    for (int i = 0; i < count; i++)
        cut |= log->steps[steps[i]].smaller;
    if (!cut)
        return versions_of(steps, count);
    struct place place = {0};
    int *some = sim_alloc(sizeof *some * (size_t)count);
    int bits = count < 10 ? count : 10; /* of more, the first are all lost or all kept */
    finder->sampled |= bits < count;
    for (int mask = 0; mask < 1 << bits; mask++) {
        int n = 0;
        for (int i = 0; i < count; i++) {
            int bit = i - (count - bits);
            if (bit < 0 ? mask > 0 : mask >> bit & 1)
                some[n++] = steps[i];
        }
        add_choice(&place, some, n);
    }
    return place;
}

/* Whether a file that was cut to nothing and closed is here without what was then written. */
static bool breaks_tie(const struct finder *finder, const int *sizes, int count, int few)
{
    for (int i = 0; i < few; i++) {
        const struct sim_step *step = &finder->crash->log->steps[sizes[i]];
        bool tied = step->tied_until > 0 && step->tied_call < finder->crash->call;
        if (tied && few < count && sizes[few] < step->tied_until)
            return true;
    }
    return false;
}

/* Ordered: the first few sizes, each with the block that belongs to it. */
static struct place growth_of(struct finder *finder, const int *sizes, int count)
{
    const struct sim_log *log = finder->crash->log;
    struct place place = {0};
    int *steps = sim_alloc(sizeof *steps * (size_t)(2 * count + 1)), n = 0;
    add_choice(&place, NULL, 0);
    for (int few = 1; few <= count; few++) {
        int size = sizes[few - 1];
        steps[n++] = size;
        for (int i = size + 1; i < log->step_count && i <= size + 2; i++)
            if (log->steps[i].kind == SIM_EFFECT_BLOCK && log->steps[i].grown &&
                log->steps[i].call == log->steps[size].call)
                steps[n++] = i;
        if (!breaks_tie(finder, sizes, count, few))
            add_choice(&place, steps, n);
    }
    return place;
}

static void make_content_of(struct finder *finder, int inode)
{
    const struct sim_log *log = finder->crash->log;
    bool ordered = sim_model_is_ordered(finder->crash->profile);
    int *steps = sim_alloc(sizeof *steps * (size_t)log->step_count), blocks = 0;
    for (int i = 0; i < log->step_count; i++)
        if (log->steps[i].kind == SIM_EFFECT_BLOCK && log->steps[i].inode == inode &&
            finder->standing[i] == SIM_UNDECIDED && log->steps[i].index >= blocks)
            blocks = log->steps[i].index + 1;
    for (int b = 0; b < blocks; b++) {
        int count = open_steps(finder, inode, SIM_EFFECT_BLOCK, b, !ordered, steps);
        add_content(finder, versions_of(steps, count));
    }
    int count = open_steps(finder, inode, SIM_EFFECT_SIZE, 0, false, steps);
    add_content(finder, ordered ? growth_of(finder, steps, count) : sizes_of(finder, steps, count));
    count = open_steps(finder, inode, SIM_EFFECT_META, 0, false, steps);
    add_content(finder, versions_of(steps, count));
}

/* Of files whose contents are chosen together: the first few of the open steps of all. */
static struct place joint_content(struct finder *finder, const int *inodes, int inode_count)
{
    const struct sim_log *log = finder->crash->log;
    int *steps = sim_alloc(sizeof *steps * (size_t)(log->step_count + 1)), count = 0;
    struct place place = {0};
    for (int i = 0; i < log->step_count; i++)
        for (int j = 0; j < inode_count; j++)
            if (finder->standing[i] == SIM_UNDECIDED && log->steps[i].inode == inodes[j] &&
                log->steps[i].kind != SIM_EFFECT_NAME)
                steps[count++] = i;
    for (int few = 0; few <= count; few++)
        add_choice(&place, steps, few);
    return place;
}

/* Which files are written to by a path that contains sim_crash.together. */
static void find_together(struct finder *finder)
{
    const struct sim_crash *crash = finder->crash;
    const struct sim_log *log = crash->log;
    if (!crash->together || crash->every_place || sim_model_is_ordered(crash->profile))
        return;
    finder->together = sim_alloc((size_t)crash->base->count + (size_t)log->born_count);
    for (int i = 0; i < log->step_count; i++) {
        const char *path = log->calls[log->steps[i].call].path;
        if (log->steps[i].kind != SIM_EFFECT_NAME && path && strstr(path, crash->together))
            finder->together[log->steps[i].inode] = true;
    }
}

/* ---- putting it together ---- */

static void keep_chosen(struct finder *finder, const struct place *places, int count)
{
    for (int p = 0; p < count; p++) {
        const struct choice *choice = &places[p].choices[places[p].chosen];
        for (int i = 0; i < choice->count; i++)
            finder->kept[choice->steps[i]] = 1;
    }
}

static void keep_durable(struct finder *finder)
{
    for (int i = 0; i < finder->crash->log->step_count; i++)
        finder->kept[i] = finder->standing[i] == SIM_DURABLE;
}

/* ---- the hash of an answer, before its disk is built ---- */

static uint64_t hash_share(struct finder *finder, const struct share *share, struct sim_disk *disk)
{
    const struct sim_crash *crash = finder->crash;
    uint64_t hash = 0;
    keep_durable(finder);
    keep_chosen(finder, finder->contents + share->first, share->count);
    for (int i = 0; i < share->inode_count; i++) {
        struct sim_inode before = disk->inodes[share->inodes[i]];
        sim_model_build_content(crash->base, crash->log, finder->kept, share->inodes[i], disk);
        hash += sim_disk_hash_of(disk, share->inodes[i]);
        disk->inodes[share->inodes[i]] = before;
    }
    return hash;
}

static void hash_choices(struct finder *finder, struct share *share, struct sim_disk *disk)
{
    struct place *places = finder->contents + share->first;
    int number = 0, total = (int)product(places, share->count);
    share->hashes = sim_alloc(sizeof *share->hashes * (size_t)total);
    choose_all(places, share->count, false);
    while (number < total) { /* in the order that find_hash counts in */
        share->hashes[number++] = hash_share(finder, share, disk);
        for (int i = 0; i < share->count && ++places[i].chosen == places[i].count; i++)
            places[i].chosen = 0;
    }
}

/* `disk` has the chosen names, and of the contents what is durable. */
static void foretell(struct finder *finder, struct sim_disk *disk)
{
    finder->foretells = finder->crash->wants && !sim_model_is_ordered(finder->crash->profile);
    for (int i = 0; finder->foretells && i < finder->share_count; i++) {
        const struct share *share = &finder->shares[i];
        finder->foretells = product(finder->contents + share->first, share->count) <= SHARE_MAX;
    }
    if (!finder->foretells)
        return;
    finder->rest = sim_disk_hash(disk, false);
    for (int i = 0; i < finder->share_count; i++) {
        for (int j = 0; j < finder->shares[i].inode_count; j++)
            finder->rest -= sim_disk_hash_of(disk, finder->shares[i].inodes[j]);
        hash_choices(finder, &finder->shares[i], disk);
    }
}

static uint64_t find_hash(const struct finder *finder)
{
    uint64_t hash = finder->rest;
    for (int s = 0; s < finder->share_count; s++) {
        const struct share *share = &finder->shares[s];
        const struct place *places = finder->contents + share->first;
        int number = 0;
        for (int i = share->count - 1; i >= 0; i--)
            number = number * places[i].count + places[i].chosen;
        hash += share->hashes[number];
    }
    return hash;
}

static void emit(struct finder *finder)
{
    const struct sim_crash *crash = finder->crash;
    if (finder->foretells && !crash->wants(crash->context, find_hash(finder)))
        return;
    struct sim_arena_mark mark = sim_arena_mark();
    keep_durable(finder);
    keep_chosen(finder, finder->names, finder->name_count);
    keep_chosen(finder, finder->contents, finder->content_count);
    crash->emit(crash->context, finder->kept);
    sim_arena_release(mark);
}

/* The places that were made for these inodes, if any. */
static void add_share(struct finder *finder, int first, const int *inodes, int inode_count)
{
    if (finder->content_count == first)
        return;
    SIM_GROW(finder->shares, finder->share_count, finder->share_capacity);
    finder->shares[finder->share_count++] =
        (struct share){.inodes = sim_alloc_copy(inodes, sizeof *inodes * (size_t)inode_count),
                       .inode_count = inode_count,
                       .first = first,
                       .count = finder->content_count - first};
}

/* What can be reached holds what no flush has decided. */
static void add_contents(struct finder *finder, const struct sim_disk *disk)
{
    int *together = sim_alloc(sizeof *together * (size_t)disk->count), count = 0;
    for (int i = 0; i < disk->count; i++) {
        int first = finder->content_count;
        if (!disk->inodes[i].reachable && !finder->crash->every_place)
            continue;
        if (finder->together && finder->together[i]) {
            together[count++] = i;
        } else {
            make_content_of(finder, i);
            add_share(finder, first, &i, 1);
        }
    }
    int first = finder->content_count;
    add_content(finder, joint_content(finder, together, count));
    add_share(finder, first, together, count);
}

/* ext4, btrfs: a kept rename over an existing name has the content written before it. */
static void force_content(struct finder *finder)
{
    const struct sim_log *log = finder->crash->log;
    if (finder->crash->profile != SIM_PROFILE_EXT4 && finder->crash->profile != SIM_PROFILE_BTRFS)
        return;
    for (int i = 0; i < log->step_count; i++) {
        const struct sim_step *step = &log->steps[i];
        if (!finder->kept[i] || step->kind != SIM_EFFECT_NAME || !step->over_existing)
            continue;
        for (int j = 0; j < i; j++)
            if (log->steps[j].kind != SIM_EFFECT_NAME && log->steps[j].inode == step->moved &&
                finder->standing[j] == SIM_UNDECIDED)
                finder->standing[j] = SIM_DURABLE;
    }
}

static void visit_names(struct finder *finder)
{
    const struct sim_crash *crash = finder->crash;
    struct sim_arena_mark mark = sim_arena_mark();
    enum sim_standing *before = finder->standing;
    struct sim_disk disk;
    keep_durable(finder);
    keep_chosen(finder, finder->names, finder->name_count);
    sim_model_build(crash->base, crash->log, finder->kept, &disk);
    bool legal = sim_disk_walk(&disk);
    bool reduce = !crash->every_place && !sim_model_is_ordered(crash->profile);
    if (!reduce || sim_set_add(&finder->seen, sim_disk_hash(&disk, false))) {
        finder->standing = sim_alloc_copy(before, sizeof *before * (size_t)crash->log->step_count);
        force_content(finder);
        finder->contents = NULL;
        finder->shares = NULL;
        finder->content_count = finder->content_capacity = 0;
        finder->share_count = finder->share_capacity = 0;
        add_contents(finder, &disk);
        finder->arrangements++;
        finder->total += product(finder->contents, finder->content_count);
        finder->foretells = false;
        if (!finder->counting && legal)
            foretell(finder, &disk);
        if (!finder->counting)
            walk(finder, finder->contents, finder->content_count, finder->content_limit, emit);
        finder->standing = before;
    }
    sim_arena_release(mark);
}

/* Kept from one question to the next: most are small, and making one would be half the work. */
static struct sim_set spare;

bool sim_model_choices(const struct sim_crash *crash)
{
    if (crash->profile == SIM_PROFILE_KILL) {
        sim_model_prefixes(crash);
        return false;
    }
    size_t steps = (size_t)crash->log->step_count + 1;
    struct sim_arena_mark mark = sim_arena_mark();
    struct finder finder = {
        .crash = crash,
        .standing = sim_alloc(sizeof *finder.standing * steps),
        .kept = sim_alloc(steps),
        .random = sim_mix(crash->seed, (uint64_t)crash->call),
        .seen = spare,
        .content_limit = INT_MAX,
    };
    spare = (struct sim_set){0};
    for (int i = 0; i < crash->log->step_count; i++)
        finder.standing[i] = sim_model_standing(crash->log, crash->profile, crash->call, i);
    make_names(&finder);
    find_together(&finder);
    /* The limit is shared between arrangements of names and what they hold. */
    int most = crash->limit == SIM_NO_LIMIT ? INT_MAX : crash->limit / CONTENTS_MIN + 1;
    if (crash->limit != SIM_NO_LIMIT) {
        finder.counting = true;
        walk(&finder, finder.names, finder.name_count, most, visit_names);
        finder.counting = false;
        sim_set_clear(&finder.seen);
        finder.content_limit =
            finder.total <= crash->limit ? crash->limit : crash->limit / (int)finder.arrangements;
    }
    walk(&finder, finder.names, finder.name_count, most, visit_names);
    if (finder.sampled && !sim_model_is_ordered(crash->profile))
        sim_model_prefixes(crash);
    sim_set_clear(&finder.seen);
    sim_set_free(&spare); /* of a question within this one */
    spare = finder.seen;
    sim_arena_release(mark);
    return finder.sampled;
}
