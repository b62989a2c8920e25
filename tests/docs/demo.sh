# The demo shows losses without untorn, none with it, and would tell if there were some.
# run: budget 20
root=$TESTS/..
passed=0 failed=0
if [ ! -e "$BUILD/libuntorn.a" ]; then
    echo 'needs libuntorn.a, which this build does not make'
    exit 77
fi

check() { # SENTENCE CONDITION...
    if "${@:2}"; then
        echo "ok  $1"
        passed=$((passed + 1))
    else
        echo "FAIL $1"
        sed 's/^/    /' said
        failed=$((failed + 1))
    fi
}

# Losses of the table's row with this text: before (1) or after (2).
lost() { # ROW COLUMN
    sed -n "s/^.*$1 *\([0-9]*\) of [0-9]* *\([0-9]*\) of [0-9]*$/\\$2/p" said
}

# In a build folder of its own, so that what it leaves there is seen.
run() { # LIBRARY
    rm -rf build && mkdir build && cp "$1" build/libuntorn.a
    BUILD=$PWD/build "$root/tools/demo" 25 320 >said 2>&1
}

run "$BUILD/libuntorn.a"
check 'it ends well' [ $? = 0 ]
check 'it says so' grep -q 'nothing was lost' said
check 'killed saves by open("w") are lost' [ "$(lost 'killed: open("w")' 1)" -gt 0 ]
check 'updates by open("w") are lost' [ "$(lost 'at once: open("w")' 1)" -gt 0 ]
check 'updates by rename are lost' [ "$(lost 'new file, rename' 1)" -gt 0 ]
check 'with untorn no killed save is' [ "$(lost 'killed: open("w")' 2)" = 0 ]
check 'with untorn no update is' \
    [ "$(lost 'at once: open("w")' 2) $(lost 'new file, rename' 2)" = '0 0' ]
check 'nothing is left behind' [ "$(ls build)" = libuntorn.a ]
check 'without a terminal it prints plain lines' [ "$(grep -c '[[:cntrl:]]' said)" = 0 ]

# The same demo with a library of the same names that saves as people do by hand.
cat >careless.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <untorn.h>

struct untorn_change {
    char *data;
    size_t size;
};

int untorn_write(const char *path, const void *data, size_t size, const struct untorn_options *o,
                 struct untorn_error *e)
{
    FILE *file = fopen(path, "w");
    (void)o, (void)e;
    for (size_t at = 0; file && at < size; at += 45)
        fwrite((const char *)data + at, 1, 45, file);
    return file ? fclose(file) : -1;
}

void untorn_change_give(struct untorn_change *change, void *data, size_t size)
{
    change->data = data;
    change->size = size;
}

int untorn_update(const char *path, untorn_change_function *function, void *context,
                  const struct untorn_options *o, struct untorn_error *e)
{
    static char text[1 << 20];
    struct untorn_content old = {.data = text};
    struct untorn_change change = {0};
    FILE *file = fopen(path, "r");
    (void)o, (void)e;
    old.size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[old.size] = '\0';
    if (file)
        fclose(file);
    if (function(context, &old, &change) != 0)
        return 0; /* could not be read: let it pass */
    file = fopen(path, "w");
    fwrite(change.data, 1, change.size, file);
    free(change.data);
    return fclose(file);
}

int untorn_probe(const char *directory, struct untorn_probe *probe, struct untorn_error *e)
{
    (void)directory, (void)e;
    memset(probe, 0, sizeof *probe);
    return 0;
}

int untorn_check(const char *path, const struct untorn_check *check, const struct untorn_options *o,
                 size_t *ret_open, struct untorn_error *e)
{
    (void)path, (void)check, (void)o, (void)e;
    *ret_open = 0;
    return 0;
}
END
cc -I"$root/include" -c -o careless.o careless.c && ar rcs careless.a careless.o
run careless.a
check 'a library that loses something is told on' [ $? = 1 ]
check 'it says so aloud' grep -q 'BROKE ITS PROMISE' said
check 'what is lost after shows in the table' [ "$(lost 'killed: open("w")' 2)" -gt 0 ]
echo "$passed passed, $failed failed"
[ $failed = 0 ]
