package io.imexagent.agent.cli;

import static io.imexagent.core.check.CheckResult.critical;
import static io.imexagent.core.check.CheckResult.ok;
import static io.imexagent.core.check.CheckResult.warning;

import io.imexagent.core.check.CheckResult;
import io.imexagent.kubernetes.Nodes.NodeSoftware;
import java.lang.module.ModuleDescriptor.Version;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks whether kubelet and container runtime of the node can give devices to containers, by the versions that the
 * kubelet reports. The API server's version does not prove this, since a kubelet may be three minor versions older.
 *
 * <p>A kubelet names CDI devices only in the CRI field {@code CDIDevices}. containerd reads this field from 1.7.2 on
 * (its pull request 8252), with CDI off by default until 2.0 (9621); CRI-O reads it from 1.28 on (its pull request
 * 6944), with CDI always on. cri-dockerd passes it since the end of 2025 (its pull request 522) and reports Docker's
 * version.
 */
final class SoftwareChecks {

    private static final String KUBELET = "kubelet-version";
    private static final String RUNTIME = "container-runtime";

    private static final Pattern NUMBERS =
            Pattern.compile("v?([0-9]{1,5}\\.[0-9]{1,5}(?:\\.[0-9]{1,5})?)(?:[^0-9.].*)?");
    private static final Version FIRST_KUBELET = Version.parse("1.34.0");
    private static final Version FIRST_CONTAINERD = Version.parse("1.7.0");
    private static final Version WHOLE_CONTAINERD = Version.parse("1.7.2");
    private static final Version CDI_IS_ON = Version.parse("2.0.0");
    private static final Version FIRST_CRIO = Version.parse("1.28.0");

    private static final String SWITCH_ON = "set enable_cdi = true in the section"
            + " [plugins.\"io.containerd.grpc.v1.cri\"] of /etc/containerd/config.toml, unless it is set"
            + " ('containerd config dump' shows it), and restart containerd";

    private SoftwareChecks() {}

    static List<CheckResult> of(NodeSoftware software) {
        return List.of(kubelet(software.kubelet()), runtime(software.runtime()));
    }

    private static CheckResult kubelet(String reported) {
        Optional<Version> version = version(reported);
        if (version.isEmpty()) {
            return warning(
                    KUBELET,
                    "cannot tell the version of the kubelet: " + reports(reported),
                    "see that it is 1.34 or later (kubelet --version)");
        }
        return isBefore(version.get(), FIRST_KUBELET)
                ? critical(
                        KUBELET,
                        "the kubelet is " + reported + ", which does not prepare claims of resource.k8s.io/v1",
                        "upgrade the kubelet of this node to 1.34 or later")
                : ok(KUBELET, "the kubelet is " + reported);
    }

    private static CheckResult runtime(String reported) {
        String[] parts = reported.split("://", 2);
        Optional<Version> version = parts.length == 2 ? version(parts[1]) : Optional.empty();
        if (version.isEmpty()) {
            return unknown(reported);
        }
        return switch (parts[0]) {
            case "containerd" -> containerd(reported, version.get());
            case "cri-o" ->
                isBefore(version.get(), FIRST_CRIO)
                        ? critical(
                                RUNTIME,
                                "the container runtime is " + reported
                                        + ", which does not take CDI devices from the kubelet",
                                "upgrade CRI-O to the kubelet's version")
                        : ok(RUNTIME, "the container runtime is " + reported + ", where CDI is on");
            case "docker" ->
                warning(
                        RUNTIME,
                        "the container runtime is " + reported
                                + ": Docker's version does not say whether cri-dockerd passes CDI devices on",
                        "use a cri-dockerd of 2026 or later and Docker 28.2 or later, and start smoke.yaml; or use"
                                + " containerd or CRI-O");
            default -> unknown(reported);
        };
    }

    private static CheckResult containerd(String reported, Version version) {
        if (isBefore(version, FIRST_CONTAINERD)) {
            return critical(
                    RUNTIME,
                    "the container runtime is " + reported + ", which knows no CDI: containers get no device",
                    "upgrade containerd to 2.0 or later, or to 1.7 with enable_cdi = true");
        }
        if (isBefore(version, WHOLE_CONTAINERD)) {
            return warning(
                    RUNTIME,
                    "the container runtime is " + reported + ", which takes no CDI devices from this kubelet",
                    "upgrade containerd to 2.0 or later, or to 1.7.2 or later with enable_cdi = true");
        }
        return isBefore(version, CDI_IS_ON)
                ? warning(
                        RUNTIME,
                        "the container runtime is " + reported
                                + ", where CDI is off by default: unless it is switched on, pods start without their"
                                + " devices",
                        SWITCH_ON)
                : ok(RUNTIME, "the container runtime is " + reported + ", where CDI is on by default");
    }

    private static CheckResult unknown(String reported) {
        return warning(
                RUNTIME,
                "cannot tell whether the container runtime reads CDI: " + reports(reported),
                "see that it does, and reads the folder of cdi.directory; containerd does from 1.7 on, CRI-O from 1.28"
                        + " on");
    }

    private static String reports(String reported) {
        return reported.isBlank() ? "the Node reports none" : "the Node reports \"" + reported + "\"";
    }

    /** The first three numbers of a version; a pre-release or build after them does not matter here. */
    private static Optional<Version> version(String text) {
        Matcher found = NUMBERS.matcher(text.strip());
        return found.matches() ? Optional.of(Version.parse(found.group(1))) : Optional.empty();
    }

    private static boolean isBefore(Version one, Version other) {
        return one.compareTo(other) < 0;
    }
}
