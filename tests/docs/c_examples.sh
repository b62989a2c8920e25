# The programs in examples/ compile as the documents say, and do what their first lines say.
# run: budget 20
root=$TESTS/..
passed=0 failed=0
if [ ! -e "$BUILD/libuntorn.a" ]; then
    echo 'needs libuntorn.a, which this build does not make'
    exit 77
fi
ln -s "$root/include" "$root/examples" .
ln -s "$BUILD" build

check() { # SENTENCE FUNCTION
    mkdir case && cd case || exit 1
    (set -e; "$2") >../said 2>&1
    local status=$?
    cd .. && rm -r case
    if [ $status = 0 ]; then
        echo "ok  $1"
        passed=$((passed + 1))
    else
        echo "FAIL $1"
        sed 's/^/    /' said
        failed=$((failed + 1))
    fi
}

# The line of the guide, for every example, with every warning there is.
compile() {
    local source line
    line=$(sed -n 's/^cc .*counter.c.*/&/p' "$root/docs/guide/c.md" | head -n 1)
    [ -n "$line" ]
    cd ..
    for source in examples/*.c; do
        eval "${line//counter/$(basename "$source" .c)} -Wall -Wextra -Wpedantic -Werror"
    done
}

# As if the library were installed below ./usr.
with_pkg_config() {
    local line
    mkdir usr
    ln -s "$root/include" usr/include
    ln -s "$BUILD" usr/lib
    sed "s,^prefix=.*,prefix=$PWD/usr,; s,^libdir=.*,libdir=\${prefix}/lib," \
        "$BUILD/meson-private/untorn.pc" >untorn.pc
    export PKG_CONFIG_PATH=$PWD
    line=$(sed -n 's/^Installed: `\(cc .*\)`\.$/\1/p' "$root/docs/guide/c.md")
    [ -n "$line" ]
    cp ../examples/counter.c .
    eval "$line"
    LD_LIBRARY_PATH=$BUILD ./counter c
    ldd counter | grep -q libuntorn.so.0
}

each_is_short() {
    local source lines
    for source in ../examples/*.c; do
        lines=$(wc -l <"$source")
        echo "$source: $lines"
        [ "$lines" -ge 30 ] && [ "$lines" -le 60 ]
    done
}

counts() {
    for _ in $(seq 20); do ../counter runs >>said & done
    wait
    [ "$(cat runs)" = 20 ]
    [ "$(sort -u said | wc -l)" = 20 ]
    ../counter missing/runs && exit 1
    [ $? = 3 ]
}

saves() {
    ../save_state state '{"a":1}'
    ../save_state state '{"a":2}'
    [ "$(cat state)" = '{"a":2}' ]
    [ "$(stat -c %a state)" = 600 ]
    mkdir folder
    ../save_state folder x && exit 1
    [ $? = 4 ]
}

logs() {
    ../event_log log.jsonl start stop
    ../event_log log.jsonl 'a "quote"' && exit 1
    [ "$(jq -r .event log.jsonl | tr '\n' ' ')" = 'start stop ' ]
    printf '{"time":1' >>log.jsonl
    ../event_log log.jsonl again 2>said
    grep -q 'torn record' said
    [ "$(jq -r .event log.jsonl | tr '\n' ' ')" = 'start stop again ' ]
}

asks_once() {
    local command='echo asked >>asked; sleep 0.2; echo secret'
    for _ in 1 2 3 4; do ../hold_lock token "$command" >>said & done
    wait
    [ "$(cat token asked)" = "secret
asked" ]
    [ "$(grep -c 'somebody else' said)" = 3 ]
    ../hold_lock other false && exit 1
    [ ! -e other ]
    ../hold_lock other 'echo free'
    [ "$(cat other)" = free ]
}

edits() {
    printf '# main\n[server]\nport = 80 # proxy\n' >app.toml
    [ "$(../edit app.toml server.port 8080)" = 'it was 80' ]
    [ "$(../edit app.toml server.host localhost)" = 'it was not there' ]
    [ "$(cat app.toml)" = '# main
[server]
port = 8080 # proxy
host = "localhost"' ]
    ../edit app.toml server.port high && exit 1
    [ $? = 1 ]
    ../edit new.json a 1
    [ "$(jq -c . new.json)" = '{"a":1}' ]
    ../edit app.yaml a 1 && exit 1
    [ $? = 2 ]
}

registers() {
    for i in $(seq 8); do ../registry r.json add "n.$i" "v $i" & done
    wait
    ../registry r.json add n.1 other >said && exit 1
    [ $? = 5 ]
    [ "$(cat said)" = 'taken: v 1' ]
    ../registry r.json remove n.2
    ../registry r.json remove n.2 && exit 1
    [ $? = 3 ]
    [ "$(../registry r.json list | sort | tr '\n' ,)" = \
        "$(for i in 1 3 4 5 6 7 8; do printf 'n.%d\tv %d,' $i $i; done)" ]
    [ -z "$(../registry none.json list)" ]
    [ ! -e none.json ]
    echo '{' >r.json
    ../registry r.json list && exit 1
    [ $? = 4 ]
}

caches() {
    local command='echo asked >>asked; wc -l <asked'
    [ "$(../cache_entry c.json 60 "$command")" = 1 ]
    [ "$(../cache_entry c.json 60 "$command")" = 1 ]
    touch -d '2 minutes ago' c.json
    [ "$(../cache_entry c.json 60 "$command")" = 2 ]
    [ "$(../cache_entry c.json 60 "$command")" = 2 ]
    truncate -s 5 c.json
    [ "$(../cache_entry c.json 60 "$command")" = 3 ]
    jq -e . c.json
    ../cache_entry c.json 0 false && exit 1
    [ "$(../cache_entry c.json 60 "$command")" = 3 ]
}

skips() {
    mkdir f
    for i in 1 2 3; do echo "{\"title\": \"t$i\"}" >f/$i.json; done
    ../entries f
    printf '{"title": "t' >f/2.json
    : >f/4.json
    ../entries f >said 2>told && exit 1
    [ $? = 4 ]
    [ "$(sort said | tr '\n' ,)" = t1,t3, ]
    grep -q 'skipped, truncated: f/2.json' told
    grep -q 'skipped, empty: f/4.json' told
    [ "$(cat f/2.json)" = '{"title": "t' ]
}

investigates() {
    mkdir f
    for _ in $(seq 8); do ../investigations f /srv/my.project >>said & done
    wait
    [ "$(sort -u said | wc -l)" = 1 ]
    [ -d "$(head -n 1 said)" ]
    [ "$(ls f | wc -l)" = 2 ]
    ../investigations f "/srv/it's" >other
    ! grep -q -f other said
    rmdir "$(cat other)"
    ../investigations f "/srv/it's" >again
    ! grep -q -f other again
    [ -d "$(cat again)" ]
    [ "$(../investigations f /srv/my.project)" = "$(head -n 1 said)" ]
    echo '{"/srv' >f/map.json
    ../investigations f /srv/x && exit 1
    [ $? = 4 ]
    [ "$(cat f/map.json)" = '{"/srv' ]
    rm f/map.json
    chmod 500 f
    [ "$(id -u)" = 0 ] || ! ../investigations f /srv/y
    chmod 700 f
}

serves() {
    export HOME=$PWD
    unset XDG_CONFIG_HOME
    [ "$(../config_service server.port)" = '8000 (default)' ]
    ../config_service server.port 8080
    [ "$(../config_service server.port)" = '8080 (global)' ]
    [ "$(AGENTS_SERVER_PORT=1 ../config_service server.port)" = '1 (environment)' ]
    ../config_service auth.token secret
    [ "$(stat -c %a .config/agents/config.toml)" = 600 ]
    ../config_service sever.port 1 2>said && exit 1
    [ $? = 1 ]
    grep -q 'did you mean server.port' said
    ../config_service server.port high && exit 1
    [ $? = 1 ]
}

check 'every example compiles with the line of the guide, without a warning' compile
check 'an example compiles with the line for an installed library' with_pkg_config
check 'every example is 30 to 60 lines long' each_is_short
check 'twenty counters at once count to twenty' counts
check 'the state is saved, private, and not over a folder' saves
check 'the log has whole records only' logs
check 'a value is set, and the comments stay' edits
check 'eight who register at once are all there, and a name is taken once' registers
check 'what is old or damaged in a cache is made again' caches
check 'of many entries the bad ones are reported and skipped' skips
check 'who investigates one target gets one folder, and a new one if it is gone' investigates
check 'a configuration has defaults, a file, the environment, and a schema' serves
check 'of four at once one asks, and the others find the answer' asks_once
echo "$passed passed, $failed failed"
[ $failed = 0 ]
