package io.imexagent.rdma.rails;

import io.imexagent.core.claim.ClaimUid;

/** The names of the DRA driver of rails. */
public final class RailDriver {

    /** The DRA driver, also the domain of its devices' attributes. */
    public static final String NAME = "rdma.imexagent.io";

    /** The CDI kind of claims, vendor and class. */
    static final String CDI_KIND = "k8s." + NAME + "/claim";

    // API version and kind of the opaque configuration.
    static final String API_VERSION = NAME + "/v1alpha1";
    static final String CONFIG_KIND = "RdmaRailConfig";

    /** The key of the taint of rails that cannot carry traffic. */
    static final String TAINT = NAME + "/down";

    private RailDriver() {}

    /** The name of a claim's CDI device for the rail; the CDI device ID is {@code <CDI_KIND>=<name>}. */
    static String cdiDevice(ClaimUid claim, String device) {
        return claim + "-" + device;
    }
}
