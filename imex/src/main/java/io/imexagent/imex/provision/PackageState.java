package io.imexagent.imex.provision;

/** Whether a package is there. */
enum PackageState {
    /** It is installed. */
    INSTALLED,
    /** It is layered for the next boot (rpm-ostree). */
    WAITS_FOR_REBOOT,
    /** It is not. */
    MISSING
}
