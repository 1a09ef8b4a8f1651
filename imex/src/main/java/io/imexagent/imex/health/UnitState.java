package io.imexagent.imex.health;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * systemd's report on {@code nvidia-imex.service} (systemd 252 to 258); {@code detail} completes the state, as
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

    /** The largest number of required units that are read; a service requires a handful. */
    private static final int MOST_REQUIRED = 50;

    public enum ActiveState {
        NOT_FOUND,
        /** The unit is masked and does not run, even after a failure; the detail is {@code masked-runtime} or empty. */
        MASKED,
        /** systemd cannot load the unit's file, so that nothing can start it; the detail is a clause. */
        BAD_FILE,
        /** The unit runs; the detail is {@code exited} if systemd calls it active without a process. */
        ACTIVE,
        /**
         * The unit is starting; with {@code TimeoutStartSec=infinity} it does so for as long as peers are missing. The
         * detail is systemd's substate, such as {@code start} or {@code condition}, or {@code queued} while its start
         * waits.
         */
        ACTIVATING,
        /** The service ends repeatedly, and systemd restarts it each time; the detail is the result of the last run. */
        CRASH_LOOP,
        /** The unit is stopping; the detail is the result if a failure ends it. */
        DEACTIVATING,
        /** The unit does not run, and did not fail; the detail is the state of its file in systemd's word. */
        INACTIVE,
        /** The unit does not run, since a condition, such as the gate of this agent, kept it from starting. */
        SKIPPED,
        /**
         * The unit does not run, since a unit that it requires does not run, or an assertion did not hold; the detail
         * is a clause.
         */
        BLOCKED,
        /** The unit failed; the detail is systemd's word for how, such as {@code exit-code} or {@code timeout}. */
        FAILED,
        /** The unit failed and is not enabled: a person has started it; the detail is as for {@code FAILED}. */
        FAILED_DISABLED,
        /** systemd did not report the state; the detail is the reason, a clause. */
        UNKNOWN
    }

    /**
     * Data that several states can have: the number of automatic restarts since a person last started the unit ({@code
     * NRestarts}), the fault in the file of a running unit (a clause; empty if there is none), the units that must run
     * for it to start, and the start of its process.
     */
    public record UnitFacts(int restarts, String fileFault, List<String> required, ProcessStart start) {

        static final UnitFacts NONE = new UnitFacts(0, "", List.of(), ProcessStart.UNKNOWN);

        public UnitFacts {
            required = List.copyOf(required);
        }
    }

    /** Creates a state without further data. */
    public UnitState(ActiveState state, String detail) {
        this(state, detail, UnitFacts.NONE);
    }

    /** Creates a state without a detail. */
    public UnitState(ActiveState state) {
        this(state, "");
    }

    /** Parses the output of {@code systemctl show}, lines {@code Name=value} in any order. Never throws. */
    static UnitState parse(String output) {
        return new UnitProperties(properties(output)).state();
    }

    /** This state, or {@code BLOCKED} if, by {@code systemctl show}, a required unit does not run. */
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
            // A unit that was masked, or whose file was removed or damaged, while it ran continues to run.
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

        /** Whether the unit is between two runs; systemd 254 and later have substates for the moment before. */
        private boolean restarting() {
            return get("SubState").contains("auto-restart");
        }

        private ActiveState failed() {
            return file().isStartedByHand() ? ActiveState.FAILED_DISABLED : ActiveState.FAILED;
        }

        /** The state of a unit without a process: this one, unless it is masked or its file cannot be loaded. */
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

        /** Whether a condition, or an assertion, did not hold; a result counts only once systemd has checked it. */
        private boolean unmet(String what) {
            String at = get(what + "TimestampMonotonic");
            return get(what + "Result").equals("no") && !at.isEmpty() && !at.equals("0");
        }

        private UnitState masked() {
            return of(ActiveState.MASKED, file() == UnitFileState.MASKED_RUNTIME ? get("UnitFileState") : "");
        }

        /** The reason why systemd cannot load the file, a clause; empty if it can, or need not for the loaded unit. */
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

        /** The sentence in {@code org.freedesktop.systemd1.BadUnitSetting "Unit … has a bad unit file setting."}. */
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
         * The start of the process. While a new run has no process yet, it is the start of the unit, which is later
         * than that of the last run's process.
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

        /** The reason why a dependent unit does not start, a clause, if any; a service may have ended as planned. */
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
