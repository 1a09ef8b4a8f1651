package io.imexagent.imex.prepare;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.claim.JsonText;
import io.imexagent.core.claim.Quoted;
import io.imexagent.dra.claim.OpaqueFields;
import io.imexagent.kubernetes.DriverNames;
import java.util.List;

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

    /** {@code ComputeDomainDaemonConfig}: the claim of a driver-managed IMEX daemon of this ComputeDomain. */
    record Daemon(ComputeDomainUid domain) implements ComputeDomainConfig {
        @Override
        public String kind() {
            return "ComputeDomainDaemonConfig";
        }
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
        return switch (kind) {
            case "ComputeDomainChannelConfig" ->
                new Channel(new ComputeDomainUid(fields.required("domainID")), fields.text("allocationMode"));
            case "ComputeDomainDaemonConfig" -> {
                if (fields.has("allocationMode")) {
                    throw new OpaqueFields.Fault("unknown field \"allocationMode\" in a ComputeDomainDaemonConfig");
                }
                yield new Daemon(new ComputeDomainUid(fields.required("domainID")));
            }
            default ->
                throw new OpaqueFields.Fault(
                        "field \"kind\" must be ComputeDomainChannelConfig or ComputeDomainDaemonConfig, not "
                                + Quoted.of(kind));
        };
    }
}
