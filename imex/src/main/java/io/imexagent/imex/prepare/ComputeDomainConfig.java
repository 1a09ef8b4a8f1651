package io.imexagent.imex.prepare;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.claim.JsonText;
import io.imexagent.core.claim.Quoted;
import io.imexagent.dra.claim.OpaqueFields;
import io.imexagent.kubernetes.DriverNames;
import java.util.List;

/**
 * A decoded opaque configuration of the driver {@code compute-domain.nvidia.com}.
 *
 * @param kind as in its {@code kind} field: that the claim wants a channel, or that it is the claim of a driver-managed
 *     IMEX daemon
 * @param domain the ComputeDomain that it belongs to
 * @param allocationMode what the user asked for, unchecked: {@code ""}, {@code Single}, {@code All} or anything; empty for
 *     a daemon
 */
public record ComputeDomainConfig(String kind, ComputeDomainUid domain, String allocationMode) {

    /** The kind of a claim for a channel. */
    static final String CHANNEL = "ComputeDomainChannelConfig";

    /** The kind of a daemon's claim. */
    static final String DAEMON = "ComputeDomainDaemonConfig";

    /** Whether the claim wants a channel. */
    boolean isChannel() {
        return kind.equals(CHANNEL);
    }

    /**
     * Decodes the opaque parameters of a claim ({@code resource.nvidia.com/v1beta1}), strictly, as {@link OpaqueFields}.
     *
     * @throws OpaqueFields.Fault where they are no configuration of ours; for a field that is missing, and another kind or
     *     version, with the field's name
     */
    static ComputeDomainConfig decode(JsonText parameters) throws OpaqueFields.Fault {
        List<String> names = List.of("apiVersion", "kind", "domainID", "allocationMode");
        OpaqueFields fields = OpaqueFields.read(parameters, names);
        for (String field : names) {
            // A field of another type is told before one that is missing.
            var _ = fields.text(field);
        }
        String version = fields.required("apiVersion");
        if (!version.equals(DriverNames.API_VERSION)) {
            throw new OpaqueFields.Fault(
                    "field \"apiVersion\" must be \"" + DriverNames.API_VERSION + "\", not " + Quoted.of(version));
        }
        String kind = fields.required("kind");
        if (!kind.equals(CHANNEL) && !kind.equals(DAEMON)) {
            throw new OpaqueFields.Fault(
                    "field \"kind\" must be " + CHANNEL + " or " + DAEMON + ", not " + Quoted.of(kind));
        }
        if (kind.equals(DAEMON) && fields.has("allocationMode")) {
            throw new OpaqueFields.Fault("unknown field \"allocationMode\" in a " + DAEMON);
        }
        return new ComputeDomainConfig(
                kind, new ComputeDomainUid(fields.required("domainID")), fields.text("allocationMode"));
    }
}
