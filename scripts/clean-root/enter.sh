#!/bin/sh
# enter.sh ROOT COMMAND…: runs a command in ROOT as a container would: its own mounts and processes, the machine's
# network. To be started by `unshare --mount --pid --fork --kill-child`: when the command is over, so are the mounts.
set -eu
root=$1
shift
mount --bind "$root" "$root"
mkdir -p "$root/proc" "$root/dev" "$root/sys" "$root/tmp" "$root/run" "$root/.machine"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero full random urandom tty; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/shm" "$root/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
ln -s /proc/self/fd/0 "$root/dev/stdin"
ln -s /proc/self/fd/1 "$root/dev/stdout"
ln -s /proc/self/fd/2 "$root/dev/stderr"
cat /etc/resolv.conf > "$root/etc/resolv.conf"
cat /etc/hosts > "$root/etc/hosts"
cd "$root"
# Not chroot alone: the kernel lets no process that was only chrooted make user namespaces.
pivot_root . .machine
# The empty folder stays: another command may be entering through it.
umount -l /.machine
exec chroot . "$@"
