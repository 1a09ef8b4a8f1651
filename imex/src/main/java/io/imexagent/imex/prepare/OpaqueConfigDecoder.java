package io.imexagent.imex.prepare;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.claim.JsonText;
import io.imexagent.core.claim.Quoted;
import io.imexagent.dra.claim.OpaqueFields;
import io.imexagent.kubernetes.DriverNames;
import java.util.List;

/**
 * Decodes the opaque parameters of a claim ({@code resource.nvidia.com/v1beta1}), strictly, as {@link OpaqueFields}; a
 * field that is missing and another kind or version are each a {@link OpaqueFields.Fault} with the field's name too.
 */
public final class OpaqueConfigDecoder {

    private static final String DOMAIN_ID = "domainID";
    private static final String ALLOCATION_MODE = "allocationMode";
    private static final List<String> FIELDS = List.of("apiVersion", "kind", DOMAIN_ID, ALLOCATION_MODE);

    private OpaqueConfigDecoder() {}

    /**
     * Decodes parameters that a user wrote.
     *
     * @throws OpaqueFields.Fault where they are no configuration of ours
     */
    public static ComputeDomainConfig decode(JsonText parameters) throws OpaqueFields.Fault {
        OpaqueFields fields = OpaqueFields.read(parameters, FIELDS);
        for (String field : FIELDS) {
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
                new ComputeDomainConfig.Channel(domain(fields), fields.text(ALLOCATION_MODE));
            case "ComputeDomainDaemonConfig" -> {
                if (fields.has(ALLOCATION_MODE)) {
                    throw new OpaqueFields.Fault("unknown field \"allocationMode\" in a ComputeDomainDaemonConfig");
                }
                yield new ComputeDomainConfig.Daemon(domain(fields));
            }
            default ->
                throw new OpaqueFields.Fault(
                        "field \"kind\" must be ComputeDomainChannelConfig or ComputeDomainDaemonConfig, not "
                                + Quoted.of(kind));
        };
    }

    private static ComputeDomainUid domain(OpaqueFields fields) throws OpaqueFields.Fault {
        return new ComputeDomainUid(fields.required(DOMAIN_ID));
    }
}
