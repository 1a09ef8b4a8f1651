package io.imexagent.controller.plan;

import io.imexagent.kubernetes.DriverNames;

/** Names that the controller writes into the cluster. Those of templates are the public controller's. */
public final class Names {

    /** The finalizer of ComputeDomains and templates, and the label of templates that holds the ComputeDomain's UID. */
    public static final String COMPUTE_DOMAIN = DriverNames.API_GROUP + "/computeDomain";

    /** The label that says whom a template is for. */
    public static final String TARGET = DriverNames.API_GROUP + "/computeDomainTarget";

    /** The value of {@link #TARGET} for the users' templates. */
    public static final String WORKLOAD = "Workload";

    /** The class of channel 0. */
    public static final String DEFAULT_CLASS = "compute-domain-default-channel.nvidia.com";

    /** The class of the channel that a workload has to itself; which one, the node says that prepares it. */
    public static final String CHANNEL_CLASS = "compute-domain-channel.nvidia.com";

    private Names() {}
}
