package io.imexagent.imex.check;

import io.imexagent.core.check.CheckResult;
import io.imexagent.core.slice.Device;
import io.imexagent.core.slice.ObservedSlice;
import io.imexagent.imex.prepare.Sharing;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whether the cluster allows several claims to hold a channel, if the operator configures that. The published slices
 * show it: an API server whose gate is off stores devices without {@code allowMultipleAllocations}. Before any slice is
 * published, the server's version gives the likely answer.
 */
public final class SharingCheck {

    public static final String ID = "sharing";

    /** The first minor version in which DRAConsumableCapacity is on by default. */
    private static final int ON_BY_DEFAULT = 36;

    private static final Pattern VERSION = Pattern.compile("v?1\\.(\\d{1,4})\\D.*");
    private static final String GATE = "turn on the feature gate DRAConsumableCapacity in API server, scheduler and"
            + " kubelets (on by default from Kubernetes 1.36)";
    private static final String REMEDY = GATE + ", or set imex.sharing to None";

    private SharingCheck() {}

    /** Checks the configured sharing against the slices of this node and the API server's version. */
    public static List<CheckResult> run(Sharing sharing, List<ObservedSlice> slices, String version) {
        return sharing == Sharing.DOMAIN ? List.of(check(slices, version)) : List.of();
    }

    private static CheckResult check(List<ObservedSlice> slices, String version) {
        List<Device> devices = slices.stream()
                .flatMap(slice -> slice.content().devices().stream())
                .toList();
        if (devices.stream().anyMatch(Device::shared)) {
            return CheckResult.ok(ID, "several pods of one ComputeDomain may run on this node");
        }
        if (devices.size() > 1) {
            return CheckResult.warning(
                    ID,
                    "the cluster does not know allowMultipleAllocations: " + devices.size()
                            + " claims at most have a channel of this node at the same time (imex.places)",
                    GATE + "; after that, restart imex-agent");
        }
        if (!devices.isEmpty()) {
            return CheckResult.warning(
                    ID,
                    "the published devices are for one claim each: the cluster does not know allowMultipleAllocations,"
                            + " or they were published without sharing; one pod of a ComputeDomain runs on this node",
                    REMEDY + "; after a change of either, restart imex-agent");
        }
        Matcher minor = VERSION.matcher(version);
        return minor.matches() && Integer.parseInt(minor.group(1)) >= ON_BY_DEFAULT
                ? CheckResult.ok(
                        ID,
                        "Kubernetes " + version + " lets several claims hold a channel unless its feature gate is"
                                + " off; nothing is published yet")
                : CheckResult.warning(
                        ID,
                        "Kubernetes " + version
                                + " does not let several claims hold a device unless its feature gate is"
                                + " on: one pod of a ComputeDomain runs on this node",
                        REMEDY);
    }
}
