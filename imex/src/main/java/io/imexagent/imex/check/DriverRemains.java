package io.imexagent.imex.check;

import static io.imexagent.core.check.CheckResult.critical;
import static io.imexagent.core.check.CheckResult.ok;
import static io.imexagent.core.check.CheckResult.warning;

import io.imexagent.core.check.CheckResult;
import io.imexagent.host.HostProcesses;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The remains of driver-managed mode on the node, in which the public driver runs nvidia-imex in a pod for each
 * ComputeDomain. One is that daemon, which competes with the host's daemon for GPUs and port. The other is the folder
 * that it shares with the kubelet plugin at {@code /imexd}, with a folder for each domain in the plugin's directory.
 * Processes are found in {@code /proc} (proc(5)); only root can read the mounts of other users' processes.
 */
public record DriverRemains(Path proc, Path pluginDirectory) {

    private static final String DAEMON = "nvidia-imex";
    private static final String UNIT = "/nvidia-imex.service";
    private static final String MOUNT = "/imexd";

    /** The index of the mount point in a line of mountinfo, {@code ID parent major:minor root mount-point …}. */
    private static final int MOUNT_POINT = 4;

    private static final String REMEDY =
            "on every node: drain the ComputeDomain workloads, delete their ComputeDomains,"
                    + " and wait until the DaemonSets of the public driver are gone; see docs/switching.md";

    public List<CheckResult> run() {
        return List.of(daemons(), mounts());
    }

    private CheckResult daemons() {
        String id = "second-imex";
        try {
            List<String> others =
                    processes(process -> text(process, "comm").strip().equals(DAEMON)
                            && text(process, "cgroup").lines().noneMatch(line -> line.contains(UNIT)));
            if (!others.isEmpty()) {
                return critical(
                        id,
                        "nvidia-imex runs outside nvidia-imex.service, as process " + String.join(", ", others),
                        REMEDY);
            }
            return cannotTell(id, "whether nvidia-imex runs outside nvidia-imex.service")
                    .orElseGet(() -> ok(id, "no nvidia-imex runs outside nvidia-imex.service"));
        } catch (IOException failure) {
            return warning(id, "the processes cannot be read: " + failure.getMessage(), "run as root");
        }
    }

    private CheckResult mounts() {
        String id = "imexd-mounts";
        try {
            List<String> holders = processes(DriverRemains::mounts);
            if (!holders.isEmpty()) {
                return critical(
                        id,
                        "a daemon of the public driver has a mount at " + MOUNT + ": process "
                                + String.join(", ", holders),
                        REMEDY);
            }
            Path domains = pluginDirectory.resolve("domains");
            List<Path> folders = Files.isDirectory(domains) ? entries(domains, "*") : List.of();
            if (!folders.isEmpty()) {
                return warning(
                        id,
                        "folders of daemons of the public driver are left: " + folders,
                        "remove them once no ComputeDomain is driver-managed any more");
            }
            return cannotTell(id, "whether a process has a mount at " + MOUNT)
                    .or(() -> closed(id))
                    .orElseGet(() -> ok(id, "no process has a mount at " + MOUNT));
        } catch (IOException failure) {
            return warning(id, "the mounts cannot be read: " + failure.getMessage(), "run as root");
        }
    }

    private Optional<CheckResult> cannotTell(String id, String what) {
        return new HostProcesses(proc)
                .hidden()
                .map(why -> warning(id, "cannot tell " + what + ": " + why, HostProcesses.REMEDY));
    }

    /** Reports processes whose mounts this user may not read: that takes the right to trace them (ptrace(2)). */
    private Optional<CheckResult> closed(String id) {
        try {
            long closed = entries(proc, "[0-9]*").stream()
                    .filter(process -> Files.exists(process.resolve("mountinfo"))
                            && !Files.isReadable(process.resolve("mountinfo")))
                    .count();
            return closed == 0
                    ? Optional.empty()
                    : Optional.of(warning(
                            id,
                            "cannot tell whether a process has a mount at " + MOUNT + ": the mounts of " + closed
                                    + " processes are closed to this user",
                            HostProcesses.REMEDY));
        } catch (IOException gone) {
            return Optional.empty();
        }
    }

    private List<String> processes(Predicate<Path> wanted) throws IOException {
        return entries(proc, "[0-9]*").stream()
                .filter(wanted)
                .map(process -> process.getFileName() + " ("
                        + text(process, "cmdline").replace('\0', ' ').strip() + ")")
                .toList();
    }

    private static List<Path> entries(Path directory, String glob) throws IOException {
        var found = new ArrayList<Path>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, glob)) {
            entries.forEach(found::add);
        }
        found.sort(null);
        return found;
    }

    private static boolean mounts(Path process) {
        return text(process, "mountinfo")
                .lines()
                .map(line -> line.split(" ", -1))
                .anyMatch(fields -> fields.length > MOUNT_POINT && fields[MOUNT_POINT].equals(MOUNT));
    }

    /** A file of a process; empty if the process has ended, or hides it. */
    private static String text(Path process, String name) {
        try {
            return Files.readString(process.resolve(name), StandardCharsets.ISO_8859_1);
        } catch (IOException endedOrHidden) {
            return "";
        }
    }
}
