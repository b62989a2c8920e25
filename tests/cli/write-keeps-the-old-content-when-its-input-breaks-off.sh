#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo old >file
cat >broken.py <<'P'
import socket, struct, subprocess
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
peer, _ = server.accept()
command = subprocess.Popen(["untorn", "write", "file"], stdin=client.fileno(),
                           stderr=subprocess.PIPE)
peer.sendall(b"x" * 300000)
while not subprocess.run(["sh", "-c", "ls .untorn/stage | grep -q ."],
                         stderr=subprocess.DEVNULL).returncode == 0:
    pass
# Closed without lingering, a connection ends with a reset instead of an end of file.
peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
peer.close()
said = command.communicate()[1]
assert command.returncode == 1, command.returncode
assert said == b"untorn: standard input: Connection reset by peer (file is unchanged)\n", said
P
timeout 60 "$PYTHON" broken.py
[ "$(cat file)" = old ]
[ -z "$(ls .untorn/stage)" ] || fail 'a stage is left'
