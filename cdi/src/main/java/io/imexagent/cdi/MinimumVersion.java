package io.imexagent.cdi;

import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The lowest version of the CDI specification that has everything a spec uses. Runtimes refuse a spec that declares a
 * higher version than they know, so a spec declares no more than it needs ({@code specs-go/version.go} of the CDI
 * library).
 */
final class MinimumVersion {

    private MinimumVersion() {}

    static CdiVersion of(CdiSpec spec) {
        if (anyEdits(spec, MinimumVersion::needs110)) {
            return CdiVersion.V1_1_0;
        }
        if (anyEdits(
                spec,
                edits -> edits.intelRdt().isPresent() || !edits.additionalGids().isEmpty())) {
            return CdiVersion.V0_7_0;
        }
        if (hasAnnotations(spec) || spec.kind().className().contains(".")) {
            return CdiVersion.V0_6_0;
        }
        if (spec.devices().stream().anyMatch(device -> !startsWithLetter(device.name()))
                || anyEdits(
                        spec,
                        edits -> edits.deviceNodes().stream()
                                .anyMatch(node -> node.hostPath().isPresent()))) {
            return CdiVersion.V0_5_0;
        }
        return anyEdits(
                        spec,
                        edits -> edits.mounts().stream()
                                .anyMatch(mount -> mount.type().isPresent()))
                ? CdiVersion.V0_4_0
                : CdiVersion.V0_3_0;
    }

    private static boolean needs110(ContainerEdits edits) {
        return !edits.netDevices().isEmpty()
                || edits.intelRdt()
                        .filter(rdt -> !rdt.schemata().isEmpty() || rdt.enableMonitoring())
                        .isPresent();
    }

    private static boolean hasAnnotations(CdiSpec spec) {
        return !spec.annotations().isEmpty()
                || spec.devices().stream()
                        .anyMatch(device -> !device.annotations().isEmpty());
    }

    private static boolean anyEdits(CdiSpec spec, Predicate<ContainerEdits> feature) {
        return Stream.concat(
                        Stream.of(spec.containerEdits()),
                        spec.devices().stream().map(CdiSpec.Device::containerEdits))
                .anyMatch(feature);
    }

    private static boolean startsWithLetter(String name) {
        char first = name.isEmpty() ? '0' : name.charAt(0);
        return (first >= 'A' && first <= 'Z') || (first >= 'a' && first <= 'z');
    }
}
