package io.imexagent.controller.plan;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.control.TemplateObject;
import io.imexagent.kubernetes.control.TemplateObject.Content;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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

    /** The class of all other channels. */
    public static final String CHANNEL_CLASS = "compute-domain-channel.nvidia.com";

    /** The annotation of a ledger entry that tells people whose it is: namespace and name of the ComputeDomain. */
    static final String OWNER = DriverNames.API_GROUP + "/computeDomainName";

    /**
     * The annotation of a ComputeDomain that says which ledger entry, in which version, it was about to lose while it lived
     * on. Nobody reads it: writing it makes what others planned over the ComputeDomain before a thing of the past.
     */
    public static final String RELEASED = DriverNames.API_GROUP + "/channelReleased";

    private static final String LEDGER = "imex-channel-";
    private static final String SELECTOR = "device.attributes['" + DriverNames.DRIVER + "'].id == ";
    private static final Pattern SELECTED = Pattern.compile(Pattern.quote(SELECTOR) + "([0-9]{1,7})");

    private Names() {}

    /** The CEL expression that selects exactly one channel. */
    public static String selector(ChannelId channel) {
        return SELECTOR + channel.number();
    }

    /** The channel that claims made from a template ask for; empty where that is none of a ComputeDomain's own. */
    public static Optional<ChannelId> selected(TemplateObject template) {
        return template.content() instanceof Content.Workload workload
                ? workload.selector()
                        .map(SELECTED::matcher)
                        .filter(Matcher::matches)
                        .flatMap(selected -> ChannelId.ofDevice("channel-" + selected.group(1)))
                : Optional.empty();
    }

    /** The name of the ledger's entry of a channel: it holds the number, so that there can be only one. */
    public static String entry(ChannelId channel) {
        return LEDGER + channel.number();
    }

    /** The channel of a ledger entry; empty for Leases that are none. */
    public static Optional<ChannelId> entryChannel(String lease) {
        return lease.startsWith(LEDGER)
                ? ChannelId.ofDevice("channel-" + lease.substring(LEDGER.length()))
                : Optional.empty();
    }
}
