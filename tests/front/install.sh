#!/bin/bash
# What `make install` puts in place can be found by pkg-config, compiled against, linked and run.
set -eu
stage=$PWD/stage
make -s -C "$TESTS/.." install SETUP=no DESTDIR="$stage" BUILD="$BUILD"
prefix=$stage/usr/local
if [ ! -e "$prefix/lib/libuntorn.a" ]; then
    echo "an instrumented build installs no archive"
    exit 77
fi
fail() {
    echo "$*"
    exit 1
}

cat >user.c <<'C'
#include <stdio.h>
#include <string.h>
#include <untorn.h>

/* Names that the library uses inside must be free for its users. */
int os_open(void);
int os_open(void)
{
    return 42;
}

int main(void)
{
    puts(untorn_version());
    return strcmp(untorn_version(), UNTORN_VERSION) != 0 || os_open() != 42;
}
C
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$stage
flags=$(pkg-config --cflags --libs untorn)
# shellcheck disable=SC2086 # flags are words
cc -std=c11 -Wall -Werror -o shared user.c $flags
readelf -d shared | grep -q 'NEEDED.*\[libuntorn\.so\.0\]' || fail 'shared: no libuntorn.so.0'
LD_LIBRARY_PATH=$prefix/lib ./shared >version
cc -std=c11 -Wall -Werror -o static user.c -I"$prefix/include" "$prefix/lib/libuntorn.a" -pthread
./static | diff version - || fail 'static: another version'
[ "$(cat version)" = "$(pkg-config --modversion untorn)" ] || fail 'untorn.pc: another version'

readelf -d "$prefix/bin/untorn" | grep NEEDED | grep -Ev 'libc\.so|ld-linux' &&
    fail 'untorn loads more than libc when it starts'
case $(readelf -d "$prefix/bin/untorn") in
*RUNPATH* | *RPATH*) fail 'untorn looks for libraries in the build folder' ;;
esac
"$prefix/bin/untorn" --version | grep -qF "$(cat version)" || fail 'untorn --version: another'

# The Python package, where Python would look for it.
if [ -e "$BUILD/python/untorn" ]; then
    folder() { # PREFIX
        "$PYTHON" -B "$TESTS/../bindings/python/site_folder.py" "$1"
    }
    place=$stage$(folder /usr/local)
    diff -r -x __pycache__ "$BUILD/python/untorn" "$place/untorn" ||
        fail 'the Python package is not installed as it was built'
    PYTHONPATH=$place "$PYTHON" -B -c 'import untorn; print(untorn.__version__)' | diff version - ||
        fail 'the Python package: another version'
    "$PYTHON" -c 'import sys; sys.exit(sys.argv[1] not in sys.path)' "$(folder "$("$PYTHON" -c \
        'import sys; print(sys.base_prefix)')")" || fail 'its folder is none that Python looks in'
    case $(folder /opt/of/its/own) in
    /opt/of/its/own/lib/python3.*/site-packages) ;;
    *) fail "in a prefix of its own: $(folder /opt/of/its/own)" ;;
    esac
fi
