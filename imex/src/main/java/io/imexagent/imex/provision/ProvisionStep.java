package io.imexagent.imex.provision;

import java.time.Duration;
import java.util.List;

/**
 * One change of the host.
 *
 * @param clause what it does, as a clause after "would": {@code install package nvidia-imex}
 * @param done what it has done, as a clause
 * @param command the command that does it
 * @param limit how long the command may take
 */
record ProvisionStep(String clause, String done, List<String> command, Duration limit) {

    /** The unit of nvidia-imex. */
    static final String UNIT = "nvidia-imex.service";

    /** A mirror that is slow is no fault; one that hangs is. */
    private static final Duration INSTALLING = Duration.ofMinutes(30);

    /** Copies the list in. */
    ProvisionStep {
        command = List.copyOf(command);
    }

    /** Installs a package. */
    static ProvisionStep install(String name) {
        return new ProvisionStep(
                "install package " + name,
                "installed package " + name,
                List.of("dnf", "--assumeyes", "install", name),
                INSTALLING);
    }

    /** Layers a package on an image, where it waits for the next boot. */
    static ProvisionStep layer(String name) {
        return new ProvisionStep(
                "layer package " + name,
                "layered package " + name + " for the next boot",
                List.of("rpm-ostree", "install", "--idempotent", "--assumeyes", name),
                INSTALLING);
    }

    /** Lets the unit start at boot, and not now. */
    static ProvisionStep enable() {
        return new ProvisionStep(
                "enable " + UNIT,
                "enabled " + UNIT + "; it starts at the next boot, where the gate lets it",
                List.of("systemctl", "enable", UNIT),
                Duration.ofMinutes(1));
    }
}
