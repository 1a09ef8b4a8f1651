package io.imexagent.dra.claim;

import io.imexagent.checkpoint.ClaimStatusJson;
import io.imexagent.core.claim.AllocatedDevice;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.ledger.PreparedGroup;
import io.imexagent.host.json.MalformedJsonException;
import io.imexagent.kubernetes.DriverNames;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Claims that are right in every respect, for tests to bend. */
public final class DraSpecimens {

    private static final String CDI_KIND = "k8s." + DriverNames.DRIVER + "/claim";

    public static final String NODE = "node-1";
    public static final String NAMESPACE = "team";
    public static final String DOMAIN = "5d1c5c6e-0000-4000-8000-000000000001";

    private DraSpecimens() {}

    /** The claim {@code team/<name>} with a UID made of its name. */
    public static ClaimRef ref(String name) {
        return new ClaimRef(new ClaimName(NAMESPACE, name), new ClaimUid("uid-" + name));
    }

    /** A device as clusters without the newer features allocate it. */
    public static AllocatedDevice allocated(String request, String driver, String pool, String device) {
        return new AllocatedDevice(
                request,
                driver,
                pool,
                device,
                Optional.empty(),
                List.of(),
                List.of(),
                List.of(),
                Optional.empty(),
                new TreeMap<>());
    }

    /** The claim in the kubelet's words. */
    public static ClaimRequest request(ClaimRef ref) {
        return new ClaimRequest(
                ref.name().namespace(), ref.name().name(), ref.uid().value());
    }

    /** The status of a claim that was given channel 0 for the domain. */
    public static String status(String domain) {
        return status(channelConfig(domain, "Single"), "channel-0");
    }

    /** The status of a claim that was given the device with these parameters. */
    public static String status(String parameters, String device) {
        return """
            {"allocation":{"devices":{"results":[{"request":"channel","driver":"compute-domain.nvidia.com",\
            "pool":"%s","device":"%s"}],"config":[{"source":"FromClaim","requests":["channel"],"opaque":\
            {"driver":"compute-domain.nvidia.com","parameters":%s}}]}}}\
            """.formatted(NODE, device, parameters);
    }

    /** The status of a claim of the domain that was given the channel, as a share where one is named. */
    public static String status(String domain, int channel, Optional<String> shareId) {
        String status = status(channelConfig(domain, "Single"), "channel-" + channel);
        return shareId.map(share -> status.replace(
                        "\"device\":\"channel-" + channel + "\"",
                        "\"device\":\"channel-" + channel + "\",\"shareID\":\"" + share + "\""))
                .orElse(status);
    }

    /** The parameters of a channel claim. */
    public static String channelConfig(String domain, String mode) {
        return """
            {"apiVersion":"resource.nvidia.com/v1beta1","kind":"ComputeDomainChannelConfig","domainID":"%s",\
            "allocationMode":"%s"}\
            """.formatted(domain, mode);
    }

    /** The parameters of a daemon claim. */
    public static String daemonConfig(String domain) {
        return """
            {"apiVersion":"resource.nvidia.com/v1beta1","kind":"ComputeDomainDaemonConfig","domainID":"%s"}\
            """.formatted(domain);
    }

    /** The decoded status. */
    public static ClaimStatus decoded(String json) {
        try {
            return ClaimStatusJson.read(json);
        } catch (MalformedJsonException e) {
            throw new AssertionError(e);
        }
    }

    /** A claim whose prepare began. */
    public static ClaimEntry.Started started(ClaimRef ref) {
        return new ClaimEntry.Started(ref.uid(), Optional.of(ref.name()), decoded(status(DOMAIN)));
    }

    /** A prepared claim that holds the channel. */
    public static ClaimEntry.Completed completed(ClaimRef ref, int channel) {
        var id = new ChannelId(channel);
        return completed(
                ref,
                "channel",
                new PreparedDevice.Channel(id, handed(id.device(), CDI_KIND + "=" + ref.uid() + "-" + id.device())));
    }

    /** A claim that the public driver prepared for an IMEX daemon. */
    public static ClaimEntry.Completed daemon(ClaimRef ref) {
        return completed(
                ref, "daemon", new PreparedDevice.Daemon(handed("daemon-0", CDI_KIND + "=" + ref.uid() + "-daemon")));
    }

    /** What the kubelet is told of channel 0 of the claim. */
    public static PreparedDevice.ReturnedDevice channel(ClaimRef ref) {
        return handed("channel-0", CDI_KIND + "=" + ref.uid() + "-channel-0");
    }

    private static PreparedDevice.ReturnedDevice handed(String device, String cdiDevice) {
        return new PreparedDevice.ReturnedDevice(
                List.of("channel"), NODE, device, List.of(cdiDevice), Optional.empty());
    }

    private static ClaimEntry.Completed completed(ClaimRef ref, String type, PreparedDevice device) {
        return new ClaimEntry.Completed(
                ref.uid(),
                Optional.of(ref.name()),
                decoded(status(DOMAIN)),
                List.of(new PreparedGroup(List.of(device), type, DOMAIN)));
    }
}
