package io.imexagent.kubernetes;

/** The names that this driver shares with the public one, so that objects written for one work with the other. */
public final class DriverNames {

    /** The DRA driver. */
    public static final String DRIVER = "compute-domain.nvidia.com";

    /** The API group of ComputeDomains and of the opaque configuration. */
    public static final String API_GROUP = "resource.nvidia.com";

    /** The API version of ComputeDomains and of the opaque configuration. */
    public static final String API_VERSION = API_GROUP + "/v1beta1";

    /** The node label that holds the NVLink clique. */
    public static final String CLIQUE_LABEL = "nvidia.com/gpu.clique";

    /**
     * The annotation that names a claim's ComputeDomain. Users may write it, so it is used only if the UIDs are equal.
     */
    public static final String DOMAIN_ANNOTATION = "imexagent.io/compute-domain";

    /** The label of pods that holds the UID of their ComputeDomain, whose pods are placed in one clique. */
    public static final String DOMAIN_LABEL = DOMAIN_ANNOTATION;

    /** The label by which users group the pods of a ComputeDomain; each group is placed in one clique. */
    public static final String GROUP_LABEL = "imexagent.io/placement-group";

    /** The annotation of a ComputeDomain that overrides {@code placement.clique}. */
    public static final String PLACEMENT_ANNOTATION = "imexagent.io/placement";

    /** The finalizer of ComputeDomains and templates, and the label of templates that holds the ComputeDomain's UID. */
    public static final String COMPUTE_DOMAIN = API_GROUP + "/computeDomain";

    /** The label for the kind of a template: {@link #WORKLOAD}, or {@code Daemon}, the public driver's other kind. */
    public static final String TARGET = API_GROUP + "/computeDomainTarget";

    /** The value of {@link #TARGET} for the templates that users' pods name. */
    public static final String WORKLOAD = "Workload";

    /** The class of channel 0. */
    public static final String DEFAULT_CLASS = "compute-domain-default-channel.nvidia.com";

    /**
     * The class of a channel that one workload uses alone. The node that prepares the claim decides which channel it
     * is.
     */
    public static final String CHANNEL_CLASS = "compute-domain-channel.nvidia.com";

    private DriverNames() {}
}
