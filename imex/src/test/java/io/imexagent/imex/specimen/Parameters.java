package io.imexagent.imex.specimen;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.imexagent.core.claim.JsonText;

/** Opaque parameters as users have them. */
public final class Parameters {

    public static final String FAULT = "unknown field \"domainId\"";

    private Parameters() {}

    /** The parameters of a channel configuration. */
    public static JsonText channel(String domain, String mode) {
        return config("ComputeDomainChannelConfig", domain, ",\"allocationMode\":\"" + mode + "\"");
    }

    /** The parameters of a daemon configuration. */
    public static JsonText daemon(String domain) {
        return config("ComputeDomainDaemonConfig", domain, "");
    }

    /** Parameters that nobody can decode. */
    public static JsonText broken() {
        return new JsonText("{\"domainId\":\"x\"}");
    }

    private static JsonText config(String kind, String domain, String more) {
        return new JsonText("{\"apiVersion\":\"resource.nvidia.com/v1beta1\",\"kind\":\"" + kind + "\",\"domainID\":\""
                + new String(JsonStringEncoder.getInstance().quoteAsString(domain)) + "\"" + more + "}");
    }
}
