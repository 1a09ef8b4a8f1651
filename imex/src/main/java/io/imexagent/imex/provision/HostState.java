package io.imexagent.imex.provision;

import java.util.Optional;

/**
 * What provisioning depends on.
 *
 * @param vendor the machine's vendor
 * @param gpu whether there is any NVIDIA GPU
 * @param ostree whether packages are layered on an image (rpm-ostree)
 * @param installed whether the package is there
 * @param unit whether its unit starts at boot
 */
record HostState(Optional<String> vendor, boolean gpu, boolean ostree, Installed installed, UnitEnablement unit) {

    /** Whether a package is there. */
    enum Installed {
        /** It is. */
        YES,
        /** It is layered for the next boot (rpm-ostree). */
        WAITS_FOR_REBOOT,
        /** It is not. */
        MISSING
    }
}
