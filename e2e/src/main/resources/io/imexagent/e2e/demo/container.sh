# container.sh WORK DEVICE SPEC...: lists the channels' folder in a container with a CDI device.
# Podman before 5.0 reads CDI specs from /etc/cdi and /var/run/cdi only, so a file system is mounted there. The
# container's root is made of the host's programs, read-only: there is nothing to download. Limits are named, since a
# sandbox may not allow to raise them; and control groups of version 2 may be mounted nowhere in it yet. crun does
# without a control group; runc does not, and is spared the limit of processes, whose controller may be missing.
set -e
work=$1; device=$2; shift 2
mkdir -p /var/run/cdi
mount -t tmpfs -o size=4m none /var/run/cdi
cp "$@" /var/run/cdi/
[ "$(stat -f -c %T /sys/fs/cgroup)" = cgroup2fs ] || mount -t cgroup2 none /sys/fs/cgroup
root=$work/root
mkdir -p "$root" && cd "$root"
mkdir -p usr proc sys dev etc tmp run var
mount --rbind /usr usr
mount -o remount,bind,ro usr
for name in bin lib lib64 sbin; do
  if [ -L /$name ]; then ln -s "$(readlink /$name)" $name
  elif [ -d /$name ]; then mkdir $name; mount --rbind /$name $name; fi
done
if command -v crun >/dev/null; then set -- crun --cgroups=disabled; else set -- runc --pids-limit=-1; fi
exec podman --runtime "$1" --root "$work/store" --runroot "$work/runroot" --cgroup-manager cgroupfs \
  run --rm --rootfs "$2" --network=none --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 \
  --device "$device" "$root" ls -l /dev/nvidia-caps-imex-channels
