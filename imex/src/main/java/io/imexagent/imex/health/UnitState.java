package io.imexagent.imex.health;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What systemd says of {@code nvidia-imex.service} (systemd 252 to 258); the detail is what the state leaves open, as
 * described there.
 */
public record UnitState(ActiveState state, String detail, UnitFacts facts) {

    /** The properties that {@code systemctl show} prints. */
    static final List<String> PROPERTIES = List.of(
            "LoadState",
            "LoadError",
            "ActiveState",
            "SubState",
            "UnitFileState",
            "Result",
            "NRestarts",
            "Job",
            "ConditionResult",
            "ConditionTimestampMonotonic",
            "AssertResult",
            "AssertTimestampMonotonic",
            "ExecMainStartTimestamp",
            "ExecMainStartTimestampMonotonic",
            "InactiveExitTimestamp",
            "InactiveExitTimestampMonotonic",
            "Requires",
            "Requisite",
            "BindsTo");

    private static final String NOT_FOUND = "not-found";

    /** A service requires a handful of units. */
    private static final int MOST_REQUIRED = 50;

    public enum ActiveState {
        NOT_FOUND,
        /** It is masked and does not run, even if it failed before; the detail is {@code masked-runtime}, or empty. */
        MASKED,
        /** systemd cannot load its file, so that nothing can start it; the detail is a clause. */
        BAD_FILE,
        /** It runs; the detail is {@code exited} where systemd calls it active without a process. */
        ACTIVE,
        /**
         * It is starting; {@code TimeoutStartSec=infinity} lets it do so for as long as peers are missing. The detail
         * is systemd's finer state, such as {@code start} or {@code condition}, or {@code queued} while its start
         * waits.
         */
        ACTIVATING,
        /**
         * It ends again and again, and systemd starts it by itself each time; the detail is the result of the last run.
         */
        CRASH_LOOP,
        /** It is stopping; the detail is the result where a failure ends it. */
        DEACTIVATING,
        /** It does not run, and nothing went wrong; the detail is the state of its file in systemd's word. */
        INACTIVE,
        /** It does not run, since a condition, such as the gate of this agent, kept it from starting. */
        SKIPPED,
        /**
         * It does not run, since a unit that it requires does not, or an assertion did not hold; the detail is a
         * clause.
         */
        BLOCKED,
        /** It failed; the detail is systemd's word for how, such as {@code exit-code} or {@code timeout}. */
        FAILED,
        /** The same, and it is not enabled: whoever started it did so by hand. */
        FAILED_DISABLED,
        /** systemd did not tell; the detail is the reason, a clause. */
        UNKNOWN
    }

    /**
     * What may hold in several states: how often systemd has started it again by itself since a person last did
     * ({@code NRestarts}), what is wrong with the file of a unit that runs (a clause; empty where nothing is), the
     * units without which it does not start, and when its process started.
     */
    public record UnitFacts(int restarts, String fileFault, List<String> required, ProcessStart start) {

        static final UnitFacts NONE = new UnitFacts(0, "", List.of(), ProcessStart.UNKNOWN);

        public UnitFacts {
            required = List.copyOf(required);
        }
    }

    /** A state of which nothing else is known. */
    public UnitState(ActiveState state, String detail) {
        this(state, detail, UnitFacts.NONE);
    }

    /** A state that leaves nothing open. */
    public UnitState(ActiveState state) {
        this(state, "");
    }

    /** The state in the output of {@code systemctl show}, lines {@code Name=value} in any order. Never throws. */
    static UnitState parse(String output) {
        return new UnitProperties(properties(output)).state();
    }

    /** The same for a unit that rests, and those that it requires, in the output of {@code systemctl show} for them. */
    UnitState amongRequired(String output) {
        return Stream.of(output.split("\\R\\R+"))
                .flatMap(unit -> new UnitProperties(properties(unit)).missing().stream())
                .findFirst()
                .map(missing -> new UnitState(ActiveState.BLOCKED, missing, facts))
                .orElse(this);
    }

    private static Map<String, String> properties(String output) {
        Map<String, String> properties = new HashMap<>();
        output.lines().forEach(line -> {
            int equals = line.indexOf('=');
            if (equals > 0) {
                properties.putIfAbsent(
                        line.substring(0, equals).strip(), PrintedState.text(line.substring(equals + 1)));
            }
        });
        return properties;
    }

    /** The properties of one unit. */
    private record UnitProperties(Map<String, String> properties) {

        private String get(String name) {
            return PrintedState.line(properties.getOrDefault(name, ""));
        }

        UnitState state() {
            String active = get("ActiveState");
            // A unit that was masked, or whose file was removed or spoilt, while it ran goes on running.
            return switch (active) {
                case "active", "reloading", "refreshing" ->
                    of(ActiveState.ACTIVE, get("SubState").equals("exited") ? "exited" : "");
                case "activating" ->
                    restarting() ? resting(ActiveState.CRASH_LOOP) : of(ActiveState.ACTIVATING, get("SubState"));
                case "deactivating" -> ending();
                case "maintenance" -> of(ActiveState.DEACTIVATING, "");
                case "failed" -> resting(restarting() ? ActiveState.CRASH_LOOP : failed());
                case "inactive" -> restarting() ? resting(ActiveState.CRASH_LOOP) : inactive();
                default -> of(ActiveState.UNKNOWN, "systemctl gave the active state \"" + active + "\"");
            };
        }

        /** Between two runs; the states of a moment before that are of systemd 254. */
        private boolean restarting() {
            return get("SubState").contains("auto-restart");
        }

        private ActiveState failed() {
            return file().isStartedByHand() ? ActiveState.FAILED_DISABLED : ActiveState.FAILED;
        }

        /** What a unit without a process is, unless nothing could start it. */
        private UnitState resting(ActiveState state) {
            if (get("LoadState").equals("masked")) {
                return masked();
            }
            String fault = fileFault();
            return fault.isEmpty() ? of(state, result()) : of(ActiveState.BAD_FILE, fault);
        }

        private UnitState ending() {
            boolean well = result().equals("success") || result().isEmpty();
            boolean loops = !well && restarts() > 0;
            return of(loops ? ActiveState.CRASH_LOOP : ActiveState.DEACTIVATING, well ? "" : result());
        }

        private UnitState inactive() {
            String load = get("LoadState");
            if (load.equals("masked") || (load.equals("loaded") && file().isMasked())) {
                return masked();
            }
            if (load.equals(NOT_FOUND) && get("UnitFileState").isEmpty()) {
                return of(ActiveState.NOT_FOUND, "");
            }
            if (!fileFault().isEmpty()) {
                return of(ActiveState.BAD_FILE, fileFault());
            }
            if (!load.equals("loaded") && !load.equals("merged")) {
                return of(ActiveState.UNKNOWN, "systemctl gave the load state \"" + load + "\"");
            }
            if (!get("Job").isEmpty() && !get("Job").equals("0")) {
                return of(ActiveState.ACTIVATING, "queued");
            }
            if (result().equals("exec-condition") || unmet("Condition")) {
                return of(ActiveState.SKIPPED, get("UnitFileState"));
            }
            return unmet("Assert")
                    ? of(ActiveState.BLOCKED, "an assertion of its unit (Assert…=) did not hold")
                    : of(ActiveState.INACTIVE, get("UnitFileState"));
        }

        /** Whether a condition, or an assertion, did not hold; a result counts once it was looked at. */
        private boolean unmet(String what) {
            String at = get(what + "TimestampMonotonic");
            return get(what + "Result").equals("no") && !at.isEmpty() && !at.equals("0");
        }

        private UnitState masked() {
            return of(ActiveState.MASKED, file() == UnitFileState.MASKED_RUNTIME ? get("UnitFileState") : "");
        }

        /** Why systemd cannot load the file, a clause; empty where it can, or need not for the unit that it has. */
        private String fileFault() {
            String load = get("LoadState");
            String error = get("LoadError");
            return switch (load) {
                case "bad-setting" -> "a setting in its file is not valid (bad-setting)" + explained(error);
                case "error" -> "its file cannot be read (error)" + explained(error);
                case NOT_FOUND -> "its file is gone (not-found)";
                default -> file() == UnitFileState.BAD ? "its file is not valid (bad)" : "";
            };
        }

        /** The sentence of {@code org.freedesktop.systemd1.BadUnitSetting "Unit … has a bad unit file setting."}. */
        private static String explained(String error) {
            int quote = error.indexOf('"');
            String sentence = quote < 0 ? error : error.substring(quote).replace("\"", "");
            return sentence.isBlank() ? "" : ": " + sentence.replaceAll("\\.$", "");
        }

        private UnitFileState file() {
            return UnitFileState.of(get("UnitFileState"));
        }

        private String result() {
            return get("Result");
        }

        /**
         * The start of the process; while it is being looked for, that of the unit, which is later than the last run's.
         */
        private ProcessStart start() {
            return ProcessStart.of(get("ExecMainStartTimestampMonotonic"), get("ExecMainStartTimestamp"))
                    .orLater(ProcessStart.of(get("InactiveExitTimestampMonotonic"), get("InactiveExitTimestamp")));
        }

        private int restarts() {
            String count = get("NRestarts");
            return count.matches("\\d{1,9}") ? Integer.parseInt(count) : 0;
        }

        private UnitState of(ActiveState state, String detail) {
            var required = new ArrayList<String>();
            for (String kind : List.of("Requires", "Requisite", "BindsTo")) {
                Stream.of(properties.getOrDefault(kind, "").split(" ", -1))
                        .filter(unit -> unit.matches("[A-Za-z0-9:_.\\\\@-]+"))
                        .limit(MOST_REQUIRED)
                        .forEach(required::add);
            }
            boolean runs = state == ActiveState.ACTIVE || state == ActiveState.ACTIVATING;
            return new UnitState(
                    state,
                    detail,
                    new UnitFacts(
                            restarts(), runs ? fileFault() : "", required, runs ? start() : ProcessStart.UNKNOWN));
        }

        /** Why a unit that requires this one does not start, a clause, if so; a service may rightly have ended. */
        private Optional<String> missing() {
            String unit = get("Id");
            String load = get("LoadState");
            boolean unloadable = !load.equals("loaded") && !load.equals("merged");
            boolean off = get("ActiveState").equals("failed")
                    || (get("ActiveState").equals("inactive") && (unloadable || !unit.endsWith(".service")));
            return unit.isEmpty() || !off
                    ? Optional.empty()
                    : Optional.of("it requires " + unit + ", which is " + (unloadable ? load : get("ActiveState")));
        }
    }
}
