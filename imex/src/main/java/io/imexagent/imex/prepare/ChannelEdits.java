package io.imexagent.imex.prepare;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.kubernetes.DriverNames;
import java.util.List;
import java.util.TreeMap;

/** What the containers of a claim get: the device node of each of its channels. Pure. */
public final class ChannelEdits {

    /** The CDI kind of claims, vendor and class: the public driver's, so that either goes on with the other's specs. */
    public static final String CDI_KIND = "k8s." + DriverNames.DRIVER + "/claim";

    private ChannelEdits() {}

    /** The name of a claim's CDI device for the channel; the CDI device ID is {@code <CDI_KIND>=<name>}. */
    public static String cdiDevice(ClaimUid claim, ChannelId channel) {
        return claim + "-" + channel.device();
    }

    /**
     * The edits that give these channels to the containers of the claim, one CDI device each.
     *
     * @param channels the channels, the minors of their nodes
     * @param major the device major of IMEX channels
     */
    public static ClaimEdits of(ClaimUid claim, List<ChannelId> channels, int major) {
        var devices = new TreeMap<String, ClaimEdits.Device>();
        for (ChannelId channel : channels) {
            var node = new ClaimEdits.Node(channel.path(), major, channel.number());
            devices.put(cdiDevice(claim, channel), new ClaimEdits.Device(channel.device(), ClaimEdits.Edits.of(node)));
        }
        return new ClaimEdits(ClaimEdits.Edits.NONE, devices);
    }
}
