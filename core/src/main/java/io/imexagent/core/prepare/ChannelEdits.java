package io.imexagent.core.prepare;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.policy.DriverNames;
import java.util.List;
import java.util.TreeMap;

/** What the containers of a claim get: the device node of each of its channels. Pure. */
public final class ChannelEdits {

    private ChannelEdits() {}

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
            devices.put(
                    DriverNames.cdiDevice(claim, channel),
                    new ClaimEdits.Device(channel.device(), ClaimEdits.Edits.of(node)));
        }
        return new ClaimEdits(ClaimEdits.Edits.NONE, devices);
    }
}
