package io.imexagent.imex.health;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What systemd says of {@code nvidia-imex.service}; the detail is what the state leaves open, as described there. */
public record UnitState(State state, String detail) {

    /** What {@code systemctl show} is asked for. */
    static final List<String> PROPERTIES = List.of(
            "LoadState",
            "ActiveState",
            "SubState",
            "UnitFileState",
            "Result",
            "ConditionResult",
            "ConditionTimestampMonotonic");

    public enum State {
        NOT_FOUND,
        /** An administrator masked it, and it does not run, whether or not it failed before. */
        MASKED,
        ACTIVE,
        /**
         * It is starting; {@code TimeoutStartSec=infinity} lets it do so for as long as peers are missing. The detail is
         * systemd's finer state, such as {@code start} or {@code auto-restart}.
         */
        ACTIVATING,
        DEACTIVATING,
        /** It does not run, and nothing went wrong; the detail is whether it is {@code enabled} at boot. */
        INACTIVE,
        /** The same, since a condition, such as the gate of this agent, kept it from starting. */
        SKIPPED,
        /** It failed; the detail is systemd's word for how, such as {@code exit-code} or {@code timeout}. */
        FAILED,
        /** The same, and it is disabled: whoever started it did so by hand. */
        FAILED_DISABLED,
        /** systemd did not tell; the detail is the reason, a clause. */
        UNKNOWN
    }

    /** A state that leaves nothing open. */
    public UnitState(State state) {
        this(state, "");
    }

    /** The state in the output of {@code systemctl show}, lines {@code Name=value} in any order. Never throws. */
    static UnitState parse(String output) {
        Map<String, String> properties = new HashMap<>();
        output.lines().forEach(line -> {
            int equals = line.indexOf('=');
            if (equals > 0) {
                properties.putIfAbsent(line.substring(0, equals).strip(), Printed.line(line.substring(equals + 1)));
            }
        });
        String load = properties.getOrDefault("LoadState", "");
        String active = properties.getOrDefault("ActiveState", "");
        // A unit that was masked, or whose file was removed, while it ran goes on running.
        return switch (active) {
            case "active", "reloading", "refreshing" -> new UnitState(State.ACTIVE);
            case "activating" -> new UnitState(State.ACTIVATING, properties.getOrDefault("SubState", ""));
            case "deactivating", "maintenance" -> new UnitState(State.DEACTIVATING);
            // Nor does a mask clear a failure of before; nothing can be restarted until it is lifted.
            case "failed" ->
                load.equals("masked")
                        ? new UnitState(State.MASKED)
                        : new UnitState(
                                properties.getOrDefault("UnitFileState", "").startsWith("disabled")
                                        ? State.FAILED_DISABLED
                                        : State.FAILED,
                                properties.getOrDefault("Result", "unknown"));
            case "inactive" ->
                switch (load) {
                    case "not-found" -> new UnitState(State.NOT_FOUND);
                    case "masked" -> new UnitState(State.MASKED);
                    case "loaded" ->
                        new UnitState(
                                skipped(properties) ? State.SKIPPED : State.INACTIVE,
                                properties.getOrDefault("UnitFileState", ""));
                    default -> new UnitState(State.UNKNOWN, "systemctl gave the load state \"" + load + "\"");
                };
            default -> new UnitState(State.UNKNOWN, "systemctl gave the active state \"" + active + "\"");
        };
    }

    /** By ExecCondition=, or by another condition, whose result counts once it was looked at. */
    private static boolean skipped(Map<String, String> properties) {
        String lookedAt = properties.getOrDefault("ConditionTimestampMonotonic", "0");
        return properties.getOrDefault("Result", "").equals("exec-condition")
                || (properties.getOrDefault("ConditionResult", "").equals("no") && !lookedAt.equals("0"));
    }
}
