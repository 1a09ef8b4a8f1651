package io.imexagent.rdma.rails;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.host.HostPrograms;
import io.imexagent.host.Program;
import io.imexagent.host.ProgramOutcome;
import io.imexagent.host.Programs;
import io.imexagent.host.json.JsonTrees;
import io.imexagent.host.json.MalformedJsonException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Reads whether the container runtime can move network interfaces, from {@code linux.netDevices.enabled} in the output
 * of {@code <runtime> features} (OCI runtime specification 1.3). Older runtimes silently ignore a container's
 * interfaces, so no interface is moved without that field.
 */
public final class RuntimeProbe {

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final String ABLE = "runc 1.4.0 and crun 1.22 and later can, with containerd 2.2.1 or later";

    private final Supplier<Optional<Path>> runtime;
    private final ArpHook hook;
    private final Programs programs = new HostPrograms();
    private volatile NetdevSupport current = new NetdevSupport.Unsupported("the runtime has not been asked yet");

    /** A probe that has not run yet; the runtime's program is empty if the operator names none. */
    public RuntimeProbe(Supplier<Optional<Path>> runtime, ArpHook hook) {
        this.runtime = runtime;
        this.hook = hook;
    }

    /** The result of the last run. Never blocks. */
    NetdevSupport current() {
        return current;
    }

    /** Runs the runtime's program, and blocks meanwhile. */
    public NetdevSupport read() {
        NetdevSupport support = runtime.get()
                .map(this::ask)
                .orElseGet(() -> new NetdevSupport.Unsupported("the configuration does not say which container runtime"
                        + " makes containers here; set rdma.runtime to its program (" + ABLE + ")"));
        if (!Thread.currentThread().isInterrupted()) {
            // A run that one claim abandoned gives no result to the others.
            current = support;
        }
        return support;
    }

    private NetdevSupport ask(Path program) {
        Optional<String> fault = hook.fault();
        if (fault.isPresent()) {
            return new NetdevSupport.Unsupported(fault.get());
        }
        try {
            return movesInterfaces(output(program, "features"))
                    ? new NetdevSupport.Supported(hook.program().toString())
                    : new NetdevSupport.Unsupported(
                            program + version(program) + " cannot move network interfaces; " + ABLE);
        } catch (IOException failure) {
            return new NetdevSupport.Unsupported(program + " cannot be asked (" + failure.getMessage()
                    + "); set rdma.runtime to a runtime that can move interfaces: " + ABLE);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            return new NetdevSupport.Unsupported("imex-agent is stopping");
        }
    }

    /** Whether the output of {@code features} reports support; only a plain true counts. */
    static boolean movesInterfaces(String features) {
        try {
            JsonNode support = JsonTrees.printed(features).at("/linux/netDevices/enabled");
            return support.isBoolean() && support.booleanValue();
        } catch (MalformedJsonException tooOld) {
            return false;
        }
    }

    private String version(Path program) throws InterruptedException {
        try {
            return " (" + output(program, "--version").lines().findFirst().orElse("version unknown") + ")";
        } catch (IOException unreadable) {
            return "";
        }
    }

    private String output(Path program, String argument) throws IOException, InterruptedException {
        return switch (programs.run(Program.asking(List.of(program.toString(), argument), PATIENCE))) {
            case ProgramOutcome.Ended ended -> ended.out();
            case ProgramOutcome.TimedOut late ->
                throw new IOException(
                        "it does not answer within " + late.deadline().toSeconds() + " s");
            case ProgramOutcome.Flooded flooded ->
                throw new IOException("it answers with more than " + flooded.limit() + " bytes");
            case ProgramOutcome.Capped(int hanging) ->
                throw new IOException(hanging + " processes of it hang and cannot be killed");
            case ProgramOutcome.NotStarted(String reason) -> throw new IOException(reason);
        };
    }

    /** Whether the node's container runtime can move a network interface into a container. */
    public sealed interface NetdevSupport {

        /** The runtime can, with this hook to set ARP up in the container's namespace. */
        record Supported(String hook) implements NetdevSupport {}

        /** The runtime cannot, or its support is unknown; the reason names the runtime and the version with support. */
        record Unsupported(String reason) implements NetdevSupport {}
    }

    /**
     * The OCI hook that sets up ARP for moved interfaces. It needs {@code nsenter} in one of these folders, the default
     * path of a shell without an environment; otherwise it would fail every container.
     */
    public record ArpHook(Path program, List<Path> folders) {

        /** The hook as the package installs it. */
        public static final ArpHook INSTALLED = new ArpHook(
                Path.of("/usr/libexec/imex-agent/rail-arp-hook"),
                List.of(Path.of("/usr/sbin"), Path.of("/usr/bin"), Path.of("/sbin"), Path.of("/bin")));

        public ArpHook {
            folders = List.copyOf(folders);
        }

        /** Why the hook would not work, with the remedy; empty if it would. */
        Optional<String> fault() {
            if (!Files.isExecutable(program)) {
                return Optional.of(
                        program + " is missing, which sets up ARP for an interface that moved; install the package"
                                + " imex-agent on the host");
            }
            return folders.stream().anyMatch(folder -> Files.isExecutable(folder.resolve("nsenter")))
                    ? Optional.empty()
                    : Optional.of(
                            "the program nsenter is missing, which " + program + " needs to set up ARP for an interface"
                                    + " that moved; install util-linux-core (Debian: util-linux)");
        }
    }
}
