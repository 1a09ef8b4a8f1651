package io.imexagent.imex.query;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What systemd says of the unit {@code nvidia-imex.service}. */
public sealed interface UnitState {

    /** What {@code systemctl show} is asked for. */
    List<String> PROPERTIES = List.of(
            "LoadState",
            "ActiveState",
            "SubState",
            "UnitFileState",
            "Result",
            "ConditionResult",
            "ConditionTimestampMonotonic");

    /** systemd knows no such unit. */
    record NotFound() implements UnitState {}

    /** An administrator masked it, and it does not run, whether or not it failed before. */
    record Masked() implements UnitState {}

    /** It runs. */
    record Active() implements UnitState {}

    /**
     * It is starting, in systemd's finer state, such as {@code start}; {@code TimeoutStartSec=infinity} lets it do so for as long
     * as peers are missing.
     */
    record Activating(String sub) implements UnitState {}

    /** It is stopping. */
    record Deactivating() implements UnitState {}

    /**
     * It does not run, and nothing went wrong.
     *
     * @param fileState whether it is {@code enabled} at boot
     * @param skipped whether a condition, such as the gate of this agent, kept it from starting
     */
    record Inactive(String fileState, boolean skipped) implements UnitState {}

    /** It failed, in systemd's word for how, such as {@code exit-code} or {@code timeout}. */
    record Failed(String result) implements UnitState {}

    /** systemd did not tell; the reason is a clause. */
    record Unknown(String reason) implements UnitState {}

    /** The state in the output of {@code systemctl show}, lines {@code Name=value} in any order. Never throws. */
    static UnitState parse(String output) {
        Map<String, String> properties = new HashMap<>();
        output.lines().forEach(line -> {
            int equals = line.indexOf('=');
            if (equals > 0) {
                properties.putIfAbsent(line.substring(0, equals).strip(), Printable.line(line.substring(equals + 1)));
            }
        });
        String load = properties.getOrDefault("LoadState", "");
        String active = properties.getOrDefault("ActiveState", "");
        // A unit that was masked, or whose file was removed, while it ran goes on running.
        return switch (active) {
            case "active", "reloading", "refreshing" -> new Active();
            case "activating" -> new Activating(properties.getOrDefault("SubState", ""));
            case "deactivating", "maintenance" -> new Deactivating();
            // Nor does a mask clear a failure of before; nothing can be restarted until it is lifted.
            case "failed" ->
                load.equals("masked") ? new Masked() : new Failed(properties.getOrDefault("Result", "unknown"));
            case "inactive" -> inactive(load, properties);
            default -> new Unknown("systemctl gave the active state \"" + active + "\"");
        };
    }

    /** By ExecCondition=, or by another condition, whose result counts once it was looked at. */
    private static boolean skipped(Map<String, String> properties) {
        return properties.getOrDefault("Result", "").equals("exec-condition")
                || (properties.getOrDefault("ConditionResult", "").equals("no")
                        && !properties
                                .getOrDefault("ConditionTimestampMonotonic", "0")
                                .equals("0"));
    }

    private static UnitState inactive(String load, Map<String, String> properties) {
        return switch (load) {
            case "not-found" -> new NotFound();
            case "masked" -> new Masked();
            case "loaded" -> new Inactive(properties.getOrDefault("UnitFileState", ""), skipped(properties));
            default -> new Unknown("systemctl gave the load state \"" + load + "\"");
        };
    }
}
