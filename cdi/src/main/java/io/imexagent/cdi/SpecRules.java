package io.imexagent.cdi;

import io.imexagent.core.claim.Quoted;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The rules of the CDI specification for a spec; runtimes refuse the whole file over a single breach. */
final class SpecRules {

    private static final Set<String> HOOKS =
            Set.of("prestart", "createRuntime", "createContainer", "startContainer", "poststart", "poststop");

    private final List<String> faults = new ArrayList<>();

    private SpecRules() {}

    /** Every breach, as {@code path: clause}; none where the spec keeps the rules. */
    static List<String> faults(CdiSpec spec) {
        var rules = new SpecRules();
        rules.check(spec);
        return List.copyOf(rules.faults);
    }

    private void check(CdiSpec spec) {
        CdiVersion minimum = MinimumVersion.of(spec);
        if (spec.version().compareTo(minimum) < 0) {
            fault("cdiVersion", "is " + spec.version() + ", but the content needs at least " + minimum);
        }
        edits("containerEdits", spec.containerEdits());
        if (spec.devices().isEmpty()) {
            fault("devices", "must hold at least one device");
        }
        var names = new HashSet<String>();
        for (int i = 0; i < spec.devices().size(); i++) {
            CdiSpec.Device device = spec.devices().get(i);
            String path = "devices[" + i + "]";
            fault(path + ".name", CdiGrammar.deviceNameFault(device.name()));
            if (!names.add(device.name())) {
                fault(path + ".name", "device name " + Quoted.of(device.name()) + " is there twice");
            }
            edits(path + ".containerEdits", device.containerEdits());
            if (device.containerEdits().equals(ContainerEdits.NONE)) {
                fault(path + ".containerEdits", "must not be empty: the device would do nothing");
            }
        }
    }

    private void edits(String path, ContainerEdits edits) {
        env(path + ".env", edits.env());
        for (int i = 0; i < edits.deviceNodes().size(); i++) {
            deviceNode(path + ".deviceNodes[" + i + "]", edits.deviceNodes().get(i));
        }
        netDevices(path + ".netDevices", edits.netDevices());
        for (int i = 0; i < edits.hooks().size(); i++) {
            hook(path + ".hooks[" + i + "]", edits.hooks().get(i));
        }
        for (int i = 0; i < edits.mounts().size(); i++) {
            notEmpty(path + ".mounts[" + i + "].hostPath", edits.mounts().get(i).hostPath());
            notEmpty(
                    path + ".mounts[" + i + "].containerPath",
                    edits.mounts().get(i).containerPath());
        }
    }

    private void env(String path, List<String> entries) {
        for (int i = 0; i < entries.size(); i++) {
            fault(path + "[" + i + "]", CdiGrammar.envFault(entries.get(i)));
        }
    }

    private void deviceNode(String path, ContainerEdits.DeviceNode node) {
        notEmpty(path + ".path", node.path());
        if (node.major() < 0 || node.minor() < 0) {
            fault(path, "device number " + node.major() + ":" + node.minor() + " must not be negative");
        }
    }

    private void netDevices(String path, List<ContainerEdits.NetDevice> devices) {
        var hostNames = new HashSet<String>();
        var names = new HashSet<String>();
        for (int i = 0; i < devices.size(); i++) {
            ContainerEdits.NetDevice device = devices.get(i);
            String here = path + "[" + i + "]";
            notEmpty(here + ".hostInterfaceName", device.hostInterfaceName());
            notEmpty(here + ".name", device.name());
            unique(here + ".hostInterfaceName", device.hostInterfaceName(), hostNames);
            unique(here + ".name", device.name(), names);
        }
    }

    private void unique(String path, String name, Set<String> seen) {
        if (!seen.add(name)) {
            fault(path, "interface " + Quoted.of(name) + " is there twice");
        }
    }

    private void hook(String path, ContainerEdits.Hook hook) {
        if (!HOOKS.contains(hook.hookName())) {
            fault(path + ".hookName", Quoted.of(hook.hookName()) + " is no OCI hook");
        }
        notEmpty(path + ".path", hook.path());
    }

    private void notEmpty(String path, String text) {
        if (text.isEmpty()) {
            fault(path, "must not be empty");
        }
    }

    private void fault(String path, Optional<String> clause) {
        clause.ifPresent(text -> fault(path, text));
    }

    private void fault(String path, String clause) {
        faults.add(path + ": " + clause);
    }
}
