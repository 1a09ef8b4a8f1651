package io.imexagent.cdi;

import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.policy.DriverNames;
import io.imexagent.core.prepare.Effect;
import java.util.List;

/** The CDI spec of a claim: one device for each channel that it grants, each with one device node. */
public final class ClaimSpec {

    /** The kind of claims' devices. */
    public static final CdiKind KIND =
            CdiKind.parse(DriverNames.CDI_KIND).orElseThrow(() -> new AssertionError(DriverNames.CDI_KIND));

    /** Everybody in the container may open the node; the device cgroup decides who has it. */
    private static final int READ_WRITE_FOR_ALL = 0666;

    private ClaimSpec() {}

    /** The spec that grants these channels to the containers of the claim, at least one. */
    public static CdiSpec of(ClaimUid claim, List<Effect.ChannelGrant> grants) {
        return CdiSpec.of(
                KIND, grants.stream().map(grant -> device(claim, grant)).toList());
    }

    private static CdiSpec.Device device(ClaimUid claim, Effect.ChannelGrant grant) {
        var node = ContainerEdits.DeviceNode.character(
                grant.channel().path(), grant.major(), grant.channel().number(), READ_WRITE_FOR_ALL);
        return CdiSpec.Device.of(
                DriverNames.cdiDevice(claim, grant.channel()), ContainerEdits.ofDeviceNodes(List.of(node)));
    }
}
