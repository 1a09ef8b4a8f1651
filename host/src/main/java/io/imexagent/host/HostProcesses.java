package io.imexagent.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/**
 * The processes in a {@code /proc} (proc(5)), and whether they are those of the host: a pod without hostPID has processes
 * of its own, a unit with ProtectProc= and a mount with hidepid= show those of one user.
 */
public record HostProcesses(Path proc) {

    /** The remedy where processes are hidden. */
    public static final String REMEDY = "run imex-agent check on the host itself, as root";

    /** The first PID namespace of a kernel, {@code PROC_PID_INIT_INO} in {@code include/linux/proc_ns.h}. */
    private static final String FIRST_NAMESPACE = "pid:[4026531836]";

    /** The usual names of process 1 on a machine; some machines are containers. */
    private static final Set<String> INIT = Set.of("systemd", "init");

    /** Why some processes of the host are not visible here, as a clause; empty if all are. */
    public Optional<String> hidden() {
        String first;
        try {
            first = Files.readString(proc.resolve("1/comm"), StandardCharsets.ISO_8859_1)
                    .strip();
        } catch (NoSuchFileException invisible) {
            return Optional.of(
                    proc + " does not show process 1, so it hides others' processes (hidepid=, ProtectProc=)");
        } catch (IOException closed) {
            return Optional.of(proc + " does not let process 1 be read: "
                    + closed.getClass().getSimpleName());
        }
        return INIT.contains(first) || inFirstNamespace()
                ? Optional.empty()
                : Optional.of(proc + " has the processes of a container, whose first is " + first + ", not the host's");
    }

    private boolean inFirstNamespace() {
        try {
            return Files.readSymbolicLink(proc.resolve("self/ns/pid"))
                    .toString()
                    .equals(FIRST_NAMESPACE);
        } catch (IOException cannotTell) {
            return false;
        }
    }
}
