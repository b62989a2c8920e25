#!/bin/bash
# The first program of a machine (machine.py) that runs one script of tests/ and says how it ended.
# In its environment: SCRIPT, BUILD, TESTS, PYTHON.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp TERM=dumb
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tmpfs -o mode=1777 tmp /tmp
mount -t tmpfs -o mode=1777 shm /dev/shm 2>/dev/null || :
mount -t tmpfs run /run
mkdir -p /tmp/modules/lib/modules
ln -s "/usr/lib/uml/modules/$(uname -r)" /tmp/modules/lib/modules/
for module in loop nls_cp437 nls_iso8859-1 nls_ascii nls_utf8 vfat f2fs minix overlay fuse \
    9p 9pnet_fd nfs nfsv4 nfsd; do
    modprobe -d /tmp/modules "$module" || echo "no module $module"
done
ip link set lo up
cd /tmp || exit
bash "$SCRIPT" 2>&1
echo "ended with status $?"
sleep 1000
