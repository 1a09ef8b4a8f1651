package io.imexagent.cdi;

import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.claim.ClaimUid;
import java.util.Map;
import java.util.TreeMap;

/** Specs of claims for an IMEX channel. */
final class Channels {

    static final CdiKind KIND = CdiKind.of("k8s.compute-domain.nvidia.com/claim");

    private Channels() {}

    /** What grants the channel to the containers of the claim. */
    static ClaimEdits edits(ClaimUid claim, int channel, int major) {
        var node = new ClaimEdits.DeviceNodeEdits("/dev/nvidia-caps-imex-channels/channel" + channel, major, channel);
        var device = new ClaimEdits.DeviceEdits("channel-" + channel, ClaimEdits.Edits.of(node));
        return new ClaimEdits(ClaimEdits.Edits.NONE, new TreeMap<>(Map.of(claim + "-channel-" + channel, device)));
    }
}
