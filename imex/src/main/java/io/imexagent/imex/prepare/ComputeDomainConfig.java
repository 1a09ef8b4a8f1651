package io.imexagent.imex.prepare;

import io.imexagent.core.claim.ComputeDomainUid;

/** A decoded opaque configuration of the driver {@code compute-domain.nvidia.com}. */
public sealed interface ComputeDomainConfig {

    /** The configuration's kind, as in its {@code kind} field. */
    String kind();

    /**
     * {@code ComputeDomainChannelConfig}: the claim wants an IMEX channel.
     *
     * @param domain the ComputeDomain that it belongs to
     * @param allocationMode what the user asked for, unchecked: {@code ""}, {@code Single}, {@code All} or anything
     */
    record Channel(ComputeDomainUid domain, String allocationMode) implements ComputeDomainConfig {
        @Override
        public String kind() {
            return "ComputeDomainChannelConfig";
        }
    }

    /**
     * {@code ComputeDomainDaemonConfig}: the claim of a driver-managed IMEX daemon.
     *
     * @param domain the ComputeDomain that it belongs to
     */
    record Daemon(ComputeDomainUid domain) implements ComputeDomainConfig {
        @Override
        public String kind() {
            return "ComputeDomainDaemonConfig";
        }
    }
}
