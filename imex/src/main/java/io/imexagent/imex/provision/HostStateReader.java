package io.imexagent.imex.provision;

import io.imexagent.host.Program;
import io.imexagent.host.ProgramOutcome;
import io.imexagent.host.Programs;
import io.imexagent.imex.gate.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Looks at a host: its files, and what rpm, rpm-ostree and systemctl say of it. Changes nothing. */
final class HostStateReader {

    private static final Duration LIMIT = Duration.ofMinutes(1);

    private final Machine machine;
    private final Path ostreeBooted;
    private final Programs programs;

    HostStateReader(Path hostRoot, Programs programs) {
        this.machine = new Machine(hostRoot);
        this.ostreeBooted = hostRoot.resolve("run/ostree-booted");
        this.programs = programs;
    }

    /**
     * The host as it is now.
     *
     * @param name the package
     * @throws IOException where something does not tell; the message says what to do
     */
    HostState look(String name) throws IOException, InterruptedException {
        boolean ostree = Files.exists(ostreeBooted);
        boolean gpu = !machine.gpus().isEmpty();
        // A host without a GPU needs neither: there may be no rpm at all.
        return new HostState(
                machine.vendor(),
                gpu,
                ostree,
                gpu ? installed(name, ostree) : HostState.Installed.MISSING,
                gpu ? unit() : UnitEnablement.ABSENT);
    }

    private HostState.Installed installed(String name, boolean ostree) throws IOException, InterruptedException {
        // A name with its version is a package to rpm, and provided by none; another name may be provided by a package.
        if (exited(List.of("rpm", "--query", name)).code() == 0
                || exited(List.of("rpm", "--query", "--whatprovides", name)).code() == 0) {
            return HostState.Installed.YES;
        }
        return ostree
                        && OstreeStatus.layersNextBoot(
                                exited(List.of("rpm-ostree", "status", "--json"))
                                        .out(),
                                name)
                ? HostState.Installed.WAITS_FOR_REBOOT
                : HostState.Installed.MISSING;
    }

    private UnitEnablement unit() throws IOException, InterruptedException {
        ProgramOutcome.Ended asked = exited(List.of("systemctl", "is-enabled", ProvisionStep.UNIT));
        return UnitEnablement.of(asked.out(), asked.err());
    }

    private ProgramOutcome.Ended exited(List<String> command) throws IOException, InterruptedException {
        String words = String.join(" ", command);
        return switch (programs.run(Program.asking(command, LIMIT))) {
            case ProgramOutcome.Ended ended -> ended;
            case ProgramOutcome.TimedOut hangs ->
                throw new IOException(words + " did not end within " + LIMIT.toSeconds()
                        + " s; look for a process that holds its lock");
            case ProgramOutcome.Flooded flooded ->
                throw new IOException(words + " printed more than " + flooded.limit() + " bytes");
            case ProgramOutcome.Capped(int hanging) ->
                throw new IOException(words + " was not run: " + hanging + " such processes hang and cannot be killed");
            case ProgramOutcome.NotStarted(String reason) ->
                throw new IOException("cannot run " + command.getFirst() + ": " + reason
                        + "; provision works on hosts with rpm, dnf or rpm-ostree, and systemd");
        };
    }
}
