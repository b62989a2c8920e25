#!/bin/bash
# tools/setup installs exactly what is missing, and says what to do where it cannot.
set -u
setup=$TESTS/../tools/setup
passed=0 failed=0
unset SETUP # of who runs the tests
check() { # SENTENCE CONDITION...
    if "${@:2}"; then
        echo "ok  $1"
        passed=$((passed + 1))
    else
        echo "FAIL $1"
        cat printed calls
        failed=$((failed + 1))
    fi
}

# A machine with everything but meson and pkg-config, whose apt-get writes down what it is asked.
mkdir bare root
for tool in sh awk cat env id mktemp rm; do
    ln -s "$(command -v $tool)" bare/$tool
done
cp -a bare/. root
for tool in cc ninja; do
    printf '#!/bin/sh\n' >root/$tool
done
printf '#!/bin/sh\necho 0\n' >root/id.new
cat >root/apt-get <<'SH'
#!/bin/sh
echo "$@" >>calls
[ ! -e "broken-$1" ]
SH
chmod +x root/*
mv -f root/id.new root/id
missing='meson pkg-config'
for header in stdlib.h:libc6-dev xxhash.h:libxxhash-dev; do
    [ -e "/usr/include/${header%:*}" ] || exit 77
done
ls /usr/include/python3*/Python.h >/dev/null 2>&1 || exit 77

run() { # PATH GROUP...
    : >calls
    PATH=$PWD/$1 "$PWD/bare/sh" "$setup" "${@:2}" >printed 2>&1
}

run root build
check 'what is missing is installed without questions and recommendations' \
    grep -qx -- "install --yes --quiet --no-install-recommends $missing" calls
check 'nothing else is asked of apt-get' [ "$(wc -l <calls)" = 1 ]

touch broken-install
run root build
status=$?
check 'the package lists are fetched only when the installation fails' \
    [ "$(cut -d' ' -f1 calls | tr '\n' ' ')" = 'install update install ' ]
check 'a failure of apt-get names the packages and the way round' \
    grep -q "SETUP=no): $missing\$" printed
check 'a failure of apt-get is a failure' [ $status = 1 ]
rm broken-install

export SETUP=no
run root build
check 'SETUP=no installs nothing and goes on' [ "$? $(cat calls printed)" = '0 ' ]
unset SETUP

printf '#!/bin/sh\n' | tee root/meson >root/pkg-config
chmod +x root/*
run root build
check 'nothing missing: nothing is called, nothing is said' [ "$? $(cat calls printed)" = '0 ' ]

run bare build
status=$?
check 'without apt-get it names the packages' grep -q 'no apt-get.*: gcc meson ninja-build' printed
check 'without apt-get it fails' [ $status = 1 ]

printf '#!/bin/sh\necho 1000\n' >id.new
chmod +x id.new
cp -a bare user && mv -f id.new user/id && cp root/apt-get user
run user build
check 'neither root nor sudo: it names the packages' grep -q 'neither root nor sudo.*meson' printed
printf '#!/bin/sh\necho sudo >>calls\nexec "$@"\n' >user/sudo
chmod +x user/sudo
run user build
check 'a user installs by sudo' grep -qx sudo calls

echo "$passed passed, $failed failed"
[ $failed = 0 ]
