package io.imexagent.cdi;

import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.claim.Quoted;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;

/** The rules of the CDI specification for a claim's spec; runtimes refuse the whole file over a single breach. */
final class SpecRules {

    private static final Set<String> HOOKS =
            Set.of("prestart", "createRuntime", "createContainer", "startContainer", "poststart", "poststop");

    private final List<String> faults = new ArrayList<>();

    private SpecRules() {}

    /** All breaches of the rules, as {@code path: clause}; none if the spec is valid. */
    static List<String> faults(ClaimEdits claim) {
        var rules = new SpecRules();
        rules.edits("containerEdits", claim.shared());
        claim.file().ifPresent(file -> each("file", file.lines(), rules::line));
        if (claim.devices().isEmpty()) {
            rules.fault("devices", "must hold at least one device");
        }
        int i = 0;
        for (var device : claim.devices().entrySet()) {
            rules.device(
                    "devices[" + i++ + "]", device.getKey(), device.getValue().edits());
        }
        return List.copyOf(rules.faults);
    }

    private void device(String path, String name, ClaimEdits.Edits edits) {
        fault(path + ".name", CdiGrammar.deviceNameFault(name));
        edits(path + ".containerEdits", edits);
        if (edits.equals(ClaimEdits.Edits.NONE)) {
            fault(path + ".containerEdits", "must not be empty: the device would do nothing");
        }
    }

    private void edits(String path, ClaimEdits.Edits edits) {
        each(path + ".env", edits.environment(), (at, entry) -> {
            fault(at, CdiGrammar.envFault(entry));
            plain(at, entry);
        });
        each(path + ".deviceNodes", edits.nodes(), this::deviceNode);
        netDevices(path + ".netDevices", edits.interfaces());
        each(path + ".hooks", edits.hooks(), this::hook);
        each(path + ".mounts", edits.mounts(), (at, mount) -> {
            notEmpty(at + ".hostPath", mount.hostPath());
            plain(at + ".containerPath", mount.path());
        });
    }

    private static <T> void each(String path, List<T> items, BiConsumer<String, T> check) {
        for (int i = 0; i < items.size(); i++) {
            check.accept(path + "[" + i + "]", items.get(i));
        }
    }

    private void deviceNode(String path, ClaimEdits.DeviceNodeEdits node) {
        notEmpty(path + ".path", node.path());
        if (node.major() < 0 || node.minor() < 0) {
            fault(path, "device number " + node.major() + ":" + node.minor() + " must not be negative");
        }
    }

    private void netDevices(String path, List<ClaimEdits.Interface> interfaces) {
        var hostNames = new HashSet<String>();
        var names = new HashSet<String>();
        each(path, interfaces, (at, moved) -> {
            unique(at + ".hostInterfaceName", moved.onHost(), hostNames);
            unique(at + ".name", moved.inContainer(), names);
        });
    }

    private void unique(String path, String name, Set<String> seen) {
        notEmpty(path, name);
        if (!seen.add(name)) {
            fault(path, "interface " + Quoted.of(name) + " is there twice");
        }
    }

    private void line(String path, String line) {
        if (line.chars().anyMatch(Character::isISOControl)) {
            fault(path, Quoted.of(line) + " must be one line");
        }
    }

    private void hook(String path, ClaimEdits.Hook hook) {
        if (!HOOKS.contains(hook.stage())) {
            fault(path + ".hookName", Quoted.of(hook.stage()) + " is no OCI hook");
        }
        notEmpty(path + ".path", hook.path());
        each(path + ".args", hook.arguments(), this::plain);
    }

    private void notEmpty(String path, String text) {
        if (text.isEmpty()) {
            fault(path, "must not be empty");
        }
        plain(path, text);
    }

    /**
     * Checks that a text has no characters beyond U+FFFF: JSON escapes them as two surrogates, which parsers of YAML
     * refuse.
     */
    private void plain(String path, String text) {
        if (text.chars().anyMatch(c -> Character.isSurrogate((char) c))) {
            fault(path, Quoted.of(text) + " must have no character beyond U+FFFF");
        }
    }

    private void fault(String path, Optional<String> clause) {
        clause.ifPresent(text -> fault(path, text));
    }

    private void fault(String path, String clause) {
        faults.add(path + ": " + clause);
    }
}
