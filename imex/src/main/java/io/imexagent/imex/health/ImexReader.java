package io.imexagent.imex.health;

import io.imexagent.core.inventory.NodeIdentity;
import io.imexagent.host.HostPrograms;
import io.imexagent.host.ProgramOutcome;
import io.imexagent.host.Programs;
import io.imexagent.imex.health.ImexCommand.DaemonAddress;
import io.imexagent.imex.health.QueryResult.Failure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads the state of nvidia-imex: its files, unit, daemon and domain. Only reads, with one query at a time, and makes
 * no query whose answer is already clear: an uninstalled daemon needs no process, a stopped one only that of systemctl.
 * Only one worker may use it.
 */
public final class ImexReader {

    /**
     * The number of readings per query of the unit while the daemon is ready. If the daemon does not answer, the same
     * reading queries its unit.
     */
    private static final int UNIT_EVERY = 10;

    /** The largest output, in bytes; a domain of 72 nodes prints about 400 kB of JSON. */
    private static final int LARGEST_OUTPUT = 4 << 20;

    private static final String UNIT = "nvidia-imex.service";

    private static final List<String> UNIT_FOLDERS = List.of(
            "/etc/systemd/system",
            "/run/systemd/system",
            "/usr/local/lib/systemd/system",
            "/usr/lib/systemd/system",
            "/lib/systemd/system");

    /** The details of a unit that is starting and has no process of the daemon yet. */
    private static final Set<String> BEFORE_THE_PROCESS = Set.of("queued", "condition", "start-pre");

    private static final QueryResult<PrintedState<DaemonState>> NOT_RUNNING =
            QueryResult.notQueried("the unit does not run");

    private final ImexWatchSettings settings;
    private final Path hostRoot;
    private final Programs programs;
    private final InstantSource clock;
    private int readingsWithoutUnit;
    private boolean table;
    private DaemonAddress way;
    private final NameLookup names;
    private Optional<UnitState> lastUnit = Optional.empty();

    /**
     * Creates a reader of a host with its {@code etc} and {@code usr} below the root. The settings' tool and systemctl
     * are paths of this process; their other paths are the host's.
     */
    public ImexReader(ImexWatchSettings settings, Path hostRoot, InstantSource clock) {
        this(settings, hostRoot, new HostPrograms(), clock);
    }

    ImexReader(ImexWatchSettings settings, Path hostRoot, Programs programs, InstantSource clock) {
        this.names = NameLookup.ofHost(clock);
        this.settings = settings;
        this.hostRoot = hostRoot;
        this.programs = programs;
        this.clock = clock;
        this.way = DaemonAddress.byConfiguration(settings.configuration());
    }

    /** Reads nvidia-imex once. Blocks for five queries at most, usually for two. */
    public ImexReading read(ImexReading.ImexNode setting) throws InterruptedException {
        HostFile file = HostFile.read(hostRoot, settings.configuration().toString());
        ImexConfiguration configuration =
                file.text().map(ImexConfiguration::parse).orElse(ImexConfiguration.DEFAULTS);
        HostFile nodes = HostFile.read(hostRoot, configuration.nodesFile());
        if (!installed()) {
            lastUnit = Optional.empty();
            return reading(
                    setting,
                    false,
                    new UnitState(UnitState.ActiveState.NOT_FOUND),
                    QueryResult.notQueried("nvidia-imex is not installed"),
                    new ImexFiles(file, nodes, Optional.empty()));
        }
        List<DaemonAddress> ways = configuration.commandService().ways(settings.configuration(), settings.socket());
        List<DaemonAddress> own = configuration.commandService().ways(settings.configuration(), Optional.empty());
        boolean remembered =
                lastUnit.isPresent() && readingsWithoutUnit + 1 < UNIT_EVERY && !isNewer(lastUnit.get(), file, nodes);
        UnitState unit = remembered ? lastUnit.get() : unit();
        QueryResult<PrintedState<DaemonState>> local = asks(unit) ? local(ways, own) : NOT_RUNNING;
        if (!remembered) {
            readingsWithoutUnit = 0;
        } else if (local instanceof QueryResult.QueryFailed) {
            // The daemon may have been stopped since its unit was read.
            readingsWithoutUnit = 0;
            unit = unit();
            local = asks(unit) ? local : NOT_RUNNING;
        } else {
            readingsWithoutUnit++;
        }
        boolean ready =
                local.answer().filter(state -> state.is(DaemonState.READY)).isPresent();
        lastUnit = ready ? Optional.of(unit) : Optional.empty();
        NodeIdentity resolved = nodes.text()
                .map(ImexConfiguration::nodes)
                .map(lines -> names.own(lines, setting.host()))
                .orElse(NodeIdentity.NONE);
        return reading(setting, true, unit, local, new ImexFiles(file, nodes, started(unit), resolved));
    }

    /** Whether a file is newer than the start in this unit state, since the daemon may have been restarted. */
    private boolean isNewer(UnitState unit, HostFile configuration, HostFile nodes) {
        var files = new ImexFiles(configuration, nodes, started(unit));
        return files.isNewer(configuration, clock.instant()) || files.isNewer(nodes, clock.instant());
    }

    private Optional<Instant> started(UnitState unit) {
        return unit.facts().start().at(clock.instant(), HostFile.read(hostRoot, "/proc/uptime"));
    }

    /** The reading with the domain, which is queried if the daemon has reported its own state. */
    private ImexReading reading(
            ImexReading.ImexNode setting,
            boolean installed,
            UnitState unit,
            QueryResult<PrintedState<DaemonState>> local,
            ImexFiles files)
            throws InterruptedException {
        QueryResult<DomainReport> domain = switch (local) {
            case QueryResult.QueryAnswered<?> _ -> domain();
            case QueryResult.QueryFailed<?>(Failure failure, String detail) ->
                new QueryResult.QueryFailed<>(failure, detail);
        };
        return new ImexReading(
                clock.instant(),
                setting,
                installed,
                unit,
                files.configuration().text().map(ImexConfiguration::parse),
                files.nodes().text().map(ImexConfiguration::nodes),
                local,
                domain,
                files);
    }

    private UnitState unit() throws InterruptedException {
        table = false;
        ImexCommand command = ImexCommand.unitState(settings.systemctl(), UNIT);
        return switch (ask(command, UnitState::parse)) {
            case QueryResult.QueryAnswered<UnitState>(UnitState state) -> blocked(state);
            case QueryResult.QueryFailed<UnitState> failed ->
                new UnitState(UnitState.ActiveState.UNKNOWN, failed.detail());
        };
    }

    /** The state of a unit that a boot did not start: a unit that it requires may not run. */
    private UnitState blocked(UnitState unit) throws InterruptedException {
        List<String> required = unit.facts().required();
        if (unit.state() != UnitState.ActiveState.INACTIVE
                || UnitFileState.of(unit.detail()).isStartedByHand()
                || required.isEmpty()) {
            return unit;
        }
        return ask(ImexCommand.requiredUnits(settings.systemctl(), required), unit::amongRequired)
                .answer()
                .orElse(unit);
    }

    private static boolean asks(UnitState unit) {
        return switch (unit.state()) {
            case ACTIVE, UNKNOWN, NOT_FOUND -> true;
            case ACTIVATING -> !BEFORE_THE_PROCESS.contains(unit.detail());
            case DEACTIVATING, MASKED, BAD_FILE, INACTIVE, SKIPPED, BLOCKED, FAILED, FAILED_DISABLED, CRASH_LOOP ->
                false;
        };
    }

    /**
     * The state over the first address that answers; the domain is then queried over the same address. If none answers,
     * the failure over an address of the daemon's own configuration, since a socket that only the agent's configuration
     * names may be of another program.
     */
    private QueryResult<PrintedState<DaemonState>> local(List<DaemonAddress> ways, List<DaemonAddress> own)
            throws InterruptedException {
        Optional<QueryResult<PrintedState<DaemonState>>> answer = Optional.empty();
        for (DaemonAddress candidate : ways) {
            way = candidate;
            QueryResult<PrintedState<DaemonState>> result =
                    ask(ImexCommand.localState(settings.tool(), way), DaemonState::printed);
            boolean another = result instanceof QueryResult.QueryFailed<?>(Failure failure, var _)
                    && (failure == Failure.UNREACHABLE
                            || failure == Failure.ERROR
                            || failure == Failure.NO_CONFIGURATION);
            if (result instanceof QueryResult.QueryFailed && !own.contains(candidate)) {
                break;
            }
            if (!another) {
                return result;
            }
            // The failure of a daemon that is down takes precedence over a missing socket.
            answer = answer.isEmpty() || isUnreachable(result) ? Optional.of(result) : answer;
        }
        return answer.orElse(NOT_RUNNING);
    }

    private static boolean isUnreachable(QueryResult<?> result) {
        return result instanceof QueryResult.QueryFailed<?>(Failure failure, var _) && failure == Failure.UNREACHABLE;
    }

    /** Queries the domain as JSON, or as a table from a tool without JSON; the next reading begins with what worked. */
    private QueryResult<DomainReport> domain() throws InterruptedException {
        if (!table) {
            QueryResult<DomainReport> json = ask(ImexCommand.domainJson(settings.tool(), way), DomainJson::parse);
            boolean otherForm = json instanceof QueryResult.QueryFailed<DomainReport>(Failure failure, var _)
                    && (failure == Failure.ERROR || failure == Failure.UNREADABLE);
            if (!otherForm) {
                return json;
            }
        }
        QueryResult<DomainReport> text = ask(ImexCommand.domainText(settings.tool(), way), DomainText::parse);
        table = text instanceof QueryResult.QueryAnswered<DomainReport>;
        return text;
    }

    private interface Parser<T> {
        T parse(String text) throws MalformedReport;
    }

    private <T> QueryResult<T> ask(ImexCommand command, Parser<T> parser) throws InterruptedException {
        return switch (programs.run(command.within(settings.timeout(), LARGEST_OUTPUT))) {
            case ProgramOutcome.TimedOut(Duration deadline, var _) ->
                failed(
                        Failure.HUNG,
                        command,
                        " did not end within " + deadline.toMillis() + " ms (imex.health.timeout)");
            case ProgramOutcome.Capped(int hanging) ->
                failed(
                        Failure.HUNG,
                        command,
                        " was not run, since " + hanging + " such processes hang and cannot be killed");
            case ProgramOutcome.Flooded(int limit) ->
                failed(Failure.FLOODED, command, " printed more than " + limit + " bytes");
            case ProgramOutcome.NotStarted(String reason) ->
                new QueryResult.QueryFailed<>(Failure.NOT_STARTED, PrintedState.line(reason));
            case ProgramOutcome.Ended(int code, String out, String err)
            when code != 0 -> {
                ToolComplaint complaint = ToolComplaint.of(out, err);
                String cause = complaint.cause().orElse("it printed its usage or nothing, and no cause");
                yield failed(complaint.failure(), command, " ended with " + code + ": " + cause);
            }
            case ProgramOutcome.Ended(var _, String out, String err) -> {
                try {
                    yield new QueryResult.QueryAnswered<>(parser.parse(out));
                } catch (MalformedReport malformed) {
                    Failure failure = ToolComplaint.of(out, err).failure();
                    yield new QueryResult.QueryFailed<>(
                            failure == Failure.ERROR ? Failure.UNREADABLE : failure,
                            "the output of '" + command + "' is not understood: " + malformed.getMessage());
                }
            }
        };
    }

    private static <T> QueryResult<T> failed(Failure failure, ImexCommand command, String what) {
        return new QueryResult.QueryFailed<>(failure, "'" + command + "'" + what);
    }

    /** The path in this process of a file of the host. */
    private Path onHost(String path) {
        return hostRoot.resolve(path.startsWith("/") ? path.substring(1) : path);
    }

    private boolean installed() {
        return Files.isExecutable(settings.tool())
                || UNIT_FOLDERS.stream()
                        .anyMatch(folder -> Files.exists(onHost(folder).resolve(UNIT)));
    }
}
