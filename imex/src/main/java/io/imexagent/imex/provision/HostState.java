package io.imexagent.imex.provision;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.host.Program;
import io.imexagent.host.ProgramOutcome;
import io.imexagent.host.Programs;
import io.imexagent.host.json.JsonTrees;
import io.imexagent.host.json.MalformedJsonException;
import io.imexagent.imex.health.UnitFileState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The input of the provisioning steps: whether packages are layered on an image (rpm-ostree), the package, and the
 * state of the unit's file if it exists.
 */
record HostState(boolean ostree, Installed installed, Optional<UnitFileState> unit) {

    private static final Duration LIMIT = Duration.ofMinutes(1);

    enum Installed {
        YES,
        /** The package is layered for the next boot (rpm-ostree). */
        WAITS_FOR_REBOOT,
        MISSING
    }

    /** Reads the current state of the host; changes nothing. If a program fails, the error names the remedy. */
    static HostState read(Path root, Programs programs, String name) throws IOException, InterruptedException {
        boolean ostree = Files.exists(root.resolve("run/ostree-booted"));
        return new HostState(ostree, installed(programs, name, ostree), unit(programs));
    }

    private static Installed installed(Programs programs, String name, boolean ostree)
            throws IOException, InterruptedException {
        // rpm --query finds a name with a version, which no package provides; --whatprovides finds another package that
        // provides the name.
        if (exited(programs, "rpm", "--query", name).code() == 0
                || exited(programs, "rpm", "--query", "--whatprovides", name).code() == 0) {
            return Installed.YES;
        }
        boolean layered = ostree
                && layersNextBoot(
                        exited(programs, "rpm-ostree", "status", "--json").out(), name);
        return layered ? Installed.WAITS_FOR_REBOOT : Installed.MISSING;
    }

    private static Optional<UnitFileState> unit(Programs programs) throws IOException, InterruptedException {
        ProgramOutcome.Ended enabled = exited(programs, "systemctl", "is-enabled", ProvisionPlan.UNIT);
        return unit(enabled.out(), enabled.err());
    }

    /** The state in an answer of one word; for an absent unit, systemd before 253 prints no answer and an error. */
    static Optional<UnitFileState> unit(String answer, String complaint) {
        String word = answer.strip();
        boolean absent =
                word.equals("not-found") || (word.isEmpty() && complaint.contains("No such file or directory"));
        return absent ? Optional.empty() : Optional.of(UnitFileState.of(word));
    }

    /** Whether the first deployment, not booted yet, has the package as requested, by name or as a file. */
    static boolean layersNextBoot(String text, String name) throws IOException {
        try {
            JsonNode next = JsonTrees.printed(text.isBlank() ? "{}" : text)
                    .path("deployments")
                    .path(0);
            return !next.path("booted").asBoolean(true)
                    && (next.path("requested-packages")
                                    .valueStream()
                                    .anyMatch(requested -> requested.asText().equals(name))
                            || next.path("requested-local-packages")
                                    .valueStream()
                                    .anyMatch(file -> file.asText().startsWith(name + "-")));
        } catch (MalformedJsonException broken) {
            throw new IOException("rpm-ostree status --json is not understood; look at what it prints", broken);
        }
    }

    private static ProgramOutcome.Ended exited(Programs programs, String... command)
            throws IOException, InterruptedException {
        String words = String.join(" ", command);
        return switch (programs.run(Program.asking(List.of(command), LIMIT))) {
            case ProgramOutcome.Ended ended -> ended;
            case ProgramOutcome.TimedOut _ ->
                throw new IOException(words + " did not end within " + LIMIT.toSeconds()
                        + " s; look for a process that holds its lock");
            case ProgramOutcome.Flooded(int limit) ->
                throw new IOException(words + " printed more than " + limit + " bytes");
            case ProgramOutcome.Capped(int hanging) ->
                throw new IOException(words + " was not run: " + hanging + " such processes hang and cannot be killed");
            case ProgramOutcome.NotStarted(String reason) ->
                throw new IOException("cannot run " + command[0] + ": " + reason
                        + "; provision works on hosts with rpm, dnf or rpm-ostree, and systemd");
        };
    }
}
