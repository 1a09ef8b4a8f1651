package io.imexagent.cdi;

/**
 * The lowest version of the CDI specification that has everything a spec uses. Runtimes refuse a spec that declares a
 * higher version than they know, so a spec declares no more than it needs ({@code specs-go/version.go} of the CDI
 * library).
 */
final class MinimumVersion {

    private MinimumVersion() {}

    static CdiVersion of(CdiSpec spec) {
        if (movesInterfaces(spec.containerEdits())
                || spec.devices().stream().anyMatch(device -> movesInterfaces(device.containerEdits()))) {
            return CdiVersion.V1_1_0;
        }
        return spec.devices().stream().allMatch(device -> startsWithLetter(device.name()))
                ? CdiVersion.V0_3_0
                : CdiVersion.V0_5_0;
    }

    private static boolean movesInterfaces(ContainerEdits edits) {
        return !edits.netDevices().isEmpty();
    }

    private static boolean startsWithLetter(String name) {
        char first = name.isEmpty() ? '0' : name.charAt(0);
        return (first >= 'A' && first <= 'Z') || (first >= 'a' && first <= 'z');
    }
}
