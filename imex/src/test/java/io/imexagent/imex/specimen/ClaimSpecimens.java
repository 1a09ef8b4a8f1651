package io.imexagent.imex.specimen;

import io.imexagent.core.claim.AllocatedDevice;
import io.imexagent.core.claim.Allocation;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.claim.DeviceConfig;
import io.imexagent.core.claim.DeviceConfig.Source;
import io.imexagent.core.claim.JsonText;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.ledger.PreparedGroup;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.imex.prepare.ServingPolicy;
import io.imexagent.kubernetes.DriverNames;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** ClaimSpecimens, and what the ledger keeps of them. */
public final class ClaimSpecimens {

    public static final String NAMESPACE = "team";
    public static final String DOMAIN = "5d1c5c6e-0000-4000-8000-00000000000d";

    private ClaimSpecimens() {}

    /** The claim {@code team/<name>} with a UID made of its name. */
    public static ClaimRef ref(String name) {
        return new ClaimRef(new ClaimName(NAMESPACE, name), new ClaimUid("uid-" + name));
    }

    /** A status with these devices and configurations. */
    public static ClaimStatus status(List<AllocatedDevice> devices, List<DeviceConfig> configs) {
        return new ClaimStatus(
                Optional.of(new Allocation(devices, configs, Optional.empty(), Optional.empty())),
                List.of(),
                List.of());
    }

    /** The status of a claim that asks for channel 0 for the domain, as its template has it. */
    public static ClaimStatus status(String domain) {
        return status(List.of(channel()), List.of(config(Source.FROM_CLAIM, Parameters.channel(domain, "Single"))));
    }

    /** Channel 0 of the node, for the request {@code channel}. */
    public static AllocatedDevice channel() {
        return DraSpecimens.allocated("channel", DriverNames.DRIVER, NodeSpecimens.NAME, "channel-0");
    }

    /** Channel 0 of the node as a share, for an administrator's eyes, with a subrequest. */
    public static AllocatedDevice channel(String request, Optional<Boolean> adminAccess, Optional<String> shareId) {
        return new AllocatedDevice(
                request,
                DriverNames.DRIVER,
                NodeSpecimens.NAME,
                "channel-0",
                adminAccess,
                List.of(),
                List.of(),
                List.of(),
                shareId,
                Collections.emptySortedMap());
    }

    /** A configuration of this driver for these requests, none for all. */
    public static DeviceConfig config(Source source, JsonText parameters, String... requests) {
        return new DeviceConfig(
                source, List.of(requests), Optional.of(new DeviceConfig.Opaque(DriverNames.DRIVER, parameters)));
    }

    /** The status of a claim that asks for a channel of the domain, and was given this device. */
    public static ClaimStatus status(String domain, String device) {
        return status(
                List.of(DraSpecimens.allocated("channel", DriverNames.DRIVER, NodeSpecimens.NAME, device)),
                List.of(config(Source.FROM_CLAIM, Parameters.channel(domain, "Single"))));
    }

    /** A prepared claim that holds the channel, which was its device. */
    public static ClaimEntry.Completed completed(ClaimRef ref, int channel) {
        return completed(ref, channel, DOMAIN, new ChannelId(channel).device());
    }

    /** A prepared claim that holds the channel of its domain's own. */
    public static ClaimEntry.Completed owning(ClaimRef ref, int channel, String domain) {
        return completed(ref, channel, domain, ServingPolicy.CHANNEL);
    }

    private static ClaimEntry.Completed completed(ClaimRef ref, int channel, String domain, String device) {
        var id = new ChannelId(channel);
        var handed = new PreparedDevice.ReturnedDevice(
                List.of("channel"),
                NodeSpecimens.NAME,
                device,
                List.of("k8s.compute-domain.nvidia.com/claim=" + ref.uid() + "-channel-" + channel),
                Optional.empty());
        return completed(ref, new PreparedDevice.Channel(id, handed), domain);
    }

    /** A claim that the public driver prepared for channel 0 on a node without an NVLink clique. */
    public static ClaimEntry.Completed withoutCdiDevice(ClaimRef ref) {
        var handed = new PreparedDevice.ReturnedDevice(
                List.of("channel"), NodeSpecimens.NAME, "channel-0", List.of(), Optional.empty());
        return completed(ref, new PreparedDevice.Channel(new ChannelId(0), handed), DOMAIN);
    }

    /** A claim that the public driver prepared for an IMEX daemon. */
    public static ClaimEntry.Completed daemon(ClaimRef ref) {
        var handed = new PreparedDevice.ReturnedDevice(
                List.of("daemon"), NodeSpecimens.NAME, "daemon-0", List.of(), Optional.empty());
        return completed(ref, new PreparedDevice.Daemon(handed), DOMAIN);
    }

    private static ClaimEntry.Completed completed(ClaimRef ref, PreparedDevice device, String domain) {
        String type = switch (device) {
            case PreparedDevice.Channel channel -> "channel";
            case PreparedDevice.Daemon daemon -> "daemon";
            case PreparedDevice.Plain plain -> "rail";
        };
        return new ClaimEntry.Completed(
                ref.uid(),
                Optional.of(ref.name()),
                status(domain),
                List.of(new PreparedGroup(List.of(device), type, domain)));
    }

    /** A claim whose prepare began. */
    public static ClaimEntry.Started started(ClaimRef ref) {
        return new ClaimEntry.Started(ref.uid(), Optional.of(ref.name()), status(DOMAIN));
    }
}
