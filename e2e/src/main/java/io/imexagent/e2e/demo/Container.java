package io.imexagent.e2e.demo;

import io.imexagent.e2e.process.ExpectationFailedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A container with a CDI device, run by podman in a mount namespace of its own, so that neither the host's CDI directory
 * nor its mounts are touched.
 */
final class Container {

    private static final int ROOT = 0;
    private static final int LIMIT_SECONDS = 15;
    private static final int LONGEST_REASON = 160;

    /** What podman says of a device that no spec describes, be the spec missing or refused. */
    private static final String BAD_SPEC = "unresolvable CDI device";

    /**
     * Podman before 5.0 reads CDI specs from /etc/cdi and /var/run/cdi only, so a file system is mounted there. The
     * container's root is made of the host's programs, read-only: there is nothing to download. Limits are named, since a
     * sandbox may not allow to raise them; and control groups of version 2 may be mounted nowhere in it yet. crun does without
     * a control group; runc does not, and is spared the limit of processes, whose controller may be missing.
     */
    private static final String SCRIPT = """
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
            exec podman --runtime "$1" --root "$work/store" --runroot "$work/runroot" --cgroup-manager cgroupfs \\
              run --rm --rootfs "$2" --network=none --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 \\
              --device "$device" "$root" ls -l /dev/nvidia-caps-imex-channels
            """;

    private Container() {}

    /**
     * How it went.
     *
     * @param ran whether there was a container
     * @param text what it wrote, or a short reason for which there was none
     */
    record Outcome(boolean ran, String text) {

        private static Outcome leftOut(String why) {
            return new Outcome(false, why);
        }
    }

    /**
     * Lists the channels' folder in a container.
     *
     * @param scratch where podman may keep its files
     * @param specs the CDI files
     * @param device the CDI device
     */
    static Outcome listNode(Path scratch, List<Path> specs, String device) throws IOException, InterruptedException {
        if (!Files.getAttribute(scratch, "unix:uid").equals(ROOT)) {
            return Outcome.leftOut("it takes root");
        }
        if (!isInstalled("podman") || !isInstalled("unshare")) {
            return Outcome.leftOut("podman is not installed");
        }
        Path work = Files.createDirectories(scratch.resolve("container"));
        Path output = work.resolve("output");
        List<String> command = new ArrayList<>(
                List.of("unshare", "--mount", "--propagation", "private", "/bin/sh", "-c", SCRIPT, "sh"));
        command.addAll(List.of(work.toString(), device));
        specs.forEach(spec -> command.add(spec.toString()));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(output.toFile())
                .start();
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
            return Outcome.leftOut("podman did not finish within " + LIMIT_SECONDS + " s");
        }
        String text = Files.readString(output).strip();
        if (process.exitValue() == 0) {
            return new Outcome(true, text);
        }
        if (text.contains(BAD_SPEC)) {
            throw new ExpectationFailedException("expected podman to know the CDI device, but it says: " + text);
        }
        String line = text.substring(text.lastIndexOf('\n') + 1);
        String reason = line.length() > LONGEST_REASON ? line.substring(0, LONGEST_REASON) + "..." : line;
        return Outcome.leftOut("podman cannot run containers here: " + reason);
    }

    private static boolean isInstalled(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":", -1))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }
}
