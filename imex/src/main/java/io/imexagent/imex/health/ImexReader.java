package io.imexagent.imex.health;

import io.imexagent.host.HostPrograms;
import io.imexagent.host.ProgramOutcome;
import io.imexagent.host.Programs;
import io.imexagent.imex.health.QueryResult.Failure;
import java.io.IOException;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Looks at nvidia-imex: its files, its unit, its daemon, its domain. Reads only, one question at a time, and no question
 * whose answer is clear: an uninstalled daemon costs no process, a stopped one only that of systemctl. For one worker.
 */
public final class ImexReader {

    /** While the daemon is ready its unit is asked for at every tenth look; once it does not answer, in the same look. */
    private static final int UNIT_EVERY = 10;

    /** Files of nvidia-imex have some kilobytes; what is larger is no such file. */
    private static final long LARGEST_FILE = 1 << 20;

    /** A domain of 72 nodes prints about 400 kB of JSON. */
    private static final int LARGEST_OUTPUT = 4 << 20;

    private static final String UNIT = "nvidia-imex.service";

    private static final List<String> UNIT_FOLDERS = List.of(
            "/etc/systemd/system",
            "/run/systemd/system",
            "/usr/local/lib/systemd/system",
            "/usr/lib/systemd/system",
            "/lib/systemd/system");

    private static final QueryResult<Printed<DaemonState>> NOT_RUNNING = QueryResult.notAsked("the unit does not run");

    private final ImexWatchSettings settings;
    private final Path hostRoot;
    private final Programs programs;
    private final Supplier<Set<String>> names;
    private final InstantSource clock;
    private int looksWithoutUnit;
    private boolean table;
    private Optional<UnitState> lastUnit = Optional.empty();

    /**
     * A reader of a host whose {@code etc} and {@code usr} stand under the root; tool and systemctl of the settings are
     * paths that can be run, the others are as the host names them.
     */
    public ImexReader(ImexWatchSettings settings, Path hostRoot, String node, InstantSource clock) {
        this(settings, hostRoot, new HostPrograms(), () -> names(node), clock);
    }

    /** The same; by these names the host is found among the nodes of a report that does not mark it. */
    ImexReader(
            ImexWatchSettings settings,
            Path hostRoot,
            Programs programs,
            Supplier<Set<String>> names,
            InstantSource clock) {
        this.settings = settings;
        this.hostRoot = hostRoot;
        this.programs = programs;
        this.names = names;
        this.clock = clock;
    }

    /** One look. Blocks for the time of three questions at most. */
    public ImexReading read(ImexReading.Setting setting) throws InterruptedException {
        if (!installed()) {
            lastUnit = Optional.empty();
            return reading(
                    setting,
                    false,
                    new UnitState(UnitState.State.NOT_FOUND),
                    QueryResult.notAsked("nvidia-imex is not installed"));
        }
        boolean remembered = lastUnit.isPresent() && looksWithoutUnit + 1 < UNIT_EVERY;
        UnitState unit = remembered ? lastUnit.get() : unit();
        QueryResult<Printed<DaemonState>> local = asks(unit) ? local() : NOT_RUNNING;
        if (!remembered) {
            looksWithoutUnit = 0;
        } else if (local instanceof QueryResult.Failed) {
            // The daemon may have been stopped since its unit was asked for.
            looksWithoutUnit = 0;
            unit = unit();
            local = asks(unit) ? local : NOT_RUNNING;
        } else {
            looksWithoutUnit++;
        }
        boolean ready =
                local.told().filter(state -> state.is(DaemonState.READY)).isPresent();
        lastUnit = ready ? Optional.of(unit) : Optional.empty();
        return reading(setting, true, unit, local);
    }

    /** The rest of the look: a daemon that tells its own state is asked for the domain, too. */
    private ImexReading reading(
            ImexReading.Setting setting, boolean installed, UnitState unit, QueryResult<Printed<DaemonState>> local)
            throws InterruptedException {
        QueryResult<DomainReport> domain = switch (local) {
            case QueryResult.Told<?> _ -> domain();
            case QueryResult.Failed<?>(Failure failure, String detail) -> new QueryResult.Failed<>(failure, detail);
        };
        Optional<ImexConfiguration> configuration =
                file(onHost(settings.configuration().toString())).map(ImexConfiguration::parse);
        Optional<List<String>> nodes = file(onHost(
                        configuration.orElse(ImexConfiguration.DEFAULTS).nodesFile()))
                .map(ImexConfiguration::nodes);
        return new ImexReading(clock.instant(), setting, installed, unit, configuration, nodes, local, domain);
    }

    private UnitState unit() throws InterruptedException {
        table = false;
        ImexCommand command = ImexCommand.unitState(settings.systemctl(), UNIT);
        return switch (ask(command, UnitState::parse)) {
            case QueryResult.Told<UnitState>(UnitState state) -> state;
            case QueryResult.Failed<UnitState> failed -> new UnitState(UnitState.State.UNKNOWN, failed.detail());
        };
    }

    private static boolean asks(UnitState unit) {
        return switch (unit.state()) {
            case ACTIVE, ACTIVATING, UNKNOWN, NOT_FOUND -> true;
            case DEACTIVATING, MASKED, INACTIVE, SKIPPED, FAILED, FAILED_DISABLED -> false;
        };
    }

    private QueryResult<Printed<DaemonState>> local() throws InterruptedException {
        return ask(ImexCommand.localState(settings.tool(), settings.configuration()), DaemonState::printed);
    }

    /** The domain as JSON, and from a tool that has none, as a table; which one worked is tried first next time. */
    private QueryResult<DomainReport> domain() throws InterruptedException {
        if (!table) {
            QueryResult<DomainReport> json = ask(
                    ImexCommand.domainJson(settings.tool(), settings.configuration()),
                    text -> DomainJson.parse(text).marked(names));
            boolean otherForm = json instanceof QueryResult.Failed<DomainReport>(Failure failure, var _)
                    && (failure == Failure.ERROR || failure == Failure.UNREADABLE);
            if (!otherForm) {
                return json;
            }
        }
        QueryResult<DomainReport> text = ask(
                ImexCommand.domainText(settings.tool(), settings.configuration()),
                printed -> DomainText.parse(printed).marked(names));
        table = text instanceof QueryResult.Told<DomainReport>;
        return text;
    }

    private interface Parser<T> {
        T parse(String text) throws MalformedReport;
    }

    private <T> QueryResult<T> ask(ImexCommand command, Parser<T> parser) throws InterruptedException {
        return switch (programs.run(command.within(settings.timeout(), LARGEST_OUTPUT))) {
            case ProgramOutcome.TimedOut(Duration deadline, var _) ->
                failed(Failure.HUNG, command, " did not end within " + deadline.toMillis() + " ms");
            case ProgramOutcome.Capped(int hanging) ->
                failed(
                        Failure.HUNG,
                        command,
                        " was not run, since " + hanging + " such processes hang and cannot be killed");
            case ProgramOutcome.Flooded(int limit) ->
                failed(Failure.FLOODED, command, " printed more than " + limit + " bytes");
            case ProgramOutcome.NotStarted(String reason) ->
                new QueryResult.Failed<>(Failure.NOT_STARTED, Printed.line(reason));
            case ProgramOutcome.Ended(int code, String out, String err)
            when code != 0 -> failed(failure(out + err), command, " ended with " + code + complaint(out, err));
            case ProgramOutcome.Ended(var _, String out, var _) -> {
                try {
                    yield new QueryResult.Told<>(parser.parse(out));
                } catch (MalformedReport malformed) {
                    yield new QueryResult.Failed<>(
                            Failure.UNREADABLE,
                            "the output of '" + command + "' is not understood: " + malformed.getMessage());
                }
            }
        };
    }

    private static <T> QueryResult<T> failed(Failure failure, ImexCommand command, String what) {
        return new QueryResult.Failed<>(failure, "'" + command + "'" + what);
    }

    /** Texts of NVIDIA's tool; another text of it is an error like any other. */
    private static Failure failure(String said) {
        if (said.contains("Failed to read node configuration file")) {
            return Failure.NO_NODES_FILE;
        }
        return said.contains("error code: 14") ? Failure.UNREACHABLE : Failure.ERROR;
    }

    private static String complaint(String out, String err) {
        Optional<String> last = Printed.lastLine(err).or(() -> Printed.lastLine(out));
        return last.map(line -> ": " + Printed.line(line)).orElse("");
    }

    private static Optional<String> file(Path file) {
        try {
            return Files.size(file) <= LARGEST_FILE
                    ? Optional.of(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
                    : Optional.empty();
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }

    /** A file that the host names, where this process finds it. */
    private Path onHost(String path) {
        return hostRoot.resolve(path.startsWith("/") ? path.substring(1) : path);
    }

    private boolean installed() {
        return Files.isExecutable(settings.tool())
                || UNIT_FOLDERS.stream()
                        .anyMatch(folder -> Files.exists(onHost(folder).resolve(UNIT)));
    }

    private static Set<String> names(String hostName) {
        var names = new HashSet<>(Set.of(hostName));
        try {
            NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> !address.isLoopbackAddress())
                    .map(address -> address.getHostAddress().split("%", 2)[0])
                    .forEach(names::add);
        } catch (SocketException unreadable) {
            // The name alone may do; without a match, no node is marked.
        }
        return names;
    }
}
