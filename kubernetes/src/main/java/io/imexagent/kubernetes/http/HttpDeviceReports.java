package io.imexagent.kubernetes.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.host.json.JsonTrees;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.DeviceReports;
import io.imexagent.kubernetes.json.Decoder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reports by server-side apply. {@code status.devices} is a list keyed by driver, pool, device and share, so that a
 * write needs no read and does not change the entries of other drivers.
 */
final class HttpDeviceReports implements DeviceReports {

    /**
     * The field manager, which ends with the driver's name (at most 63 characters of a manager's 128). An apply removes
     * the entries that its manager applied before and omits now, so that two drivers of one claim need a manager each.
     */
    private static final String APPLY = "/status?force=true&fieldManager=imex-agent-";

    /**
     * The admission policy that denies the account everything but this write. If it denies this write too, the account
     * or its token is the wrong one.
     */
    static final String POLICY = "imex-agent-claim-status";

    /**
     * A part of the server's message if the right to a driver's entries is missing. The server then reports an invalid
     * field, not a 403.
     */
    private static final String RIGHT = "resourceclaims/driver";

    /** A part of the message of Kubernetes 1.36 for an apply with a UID if another claim has the name by now. */
    private static final String OTHER_UID = "metadata.uid: Invalid value";

    private static final Pattern RELEASE = Pattern.compile("^v([0-9]{1,4})\\.([0-9]{1,4})");
    private static final int MINOR = 36;

    private final Resource<Boolean> claims;
    private final Version version;
    private volatile boolean supported;

    /** Reads the server's version. */
    @FunctionalInterface
    interface Version {
        String ask() throws ApiException;
    }

    HttpDeviceReports(Transport transport, RateLimiter limiter, Version version) {
        this.claims = new Resource<>(transport, limiter, Resource.DRA, "ResourceClaim", Decoder.ANY)
                .called("status.devices of ResourceClaim");
        this.version = version;
    }

    @Override
    public void report(ClaimName claim, String uid, List<DeviceReport> devices) throws ApiException {
        if (devices.isEmpty()) {
            return;
        }
        requireSupport();
        String driver = devices.getFirst().driver();
        ObjectNode metadata = Resource.named(claim.namespace(), claim.name()).put("uid", uid);
        ObjectNode object = Resource.DRA.object("ResourceClaim", metadata);
        ArrayNode entries = object.putObject("status").putArray("devices");
        devices.forEach(device -> add(entries.addObject(), device));
        try {
            claims.apply(claim.namespace(), claim.name(), APPLY + driver, object);
        } catch (ApiException e) {
            ApiFailure failure = e.failure();
            if (failure.kind() == ApiFailure.FailureKind.INVALID
                    && failure.message().contains(OTHER_UID)) {
                throw new ApiException(
                        new ApiFailure(ApiFailure.FailureKind.NOT_FOUND, failure.message(), Optional.empty()), e);
            }
            boolean noRight = failure.kind() == ApiFailure.FailureKind.FORBIDDEN
                    || (failure.kind() == ApiFailure.FailureKind.INVALID
                            && failure.message().contains(RIGHT));
            throw noRight ? new ApiException(withoutRight(failure), e) : e;
        }
    }

    private static ApiFailure withoutRight(ApiFailure failure) {
        return new ApiFailure(
                ApiFailure.FailureKind.FORBIDDEN,
                "kubernetes.claimStatusKubeconfig must hold a token of the service account imex-claim-status that is bound"
                        + " to this node, and the cluster what imex-agent manifests --claim-status prints: "
                        + failure.message(),
                failure.retryAfter());
    }

    private void requireSupport() throws ApiException {
        if (supported) {
            return;
        }
        String served = version.ask();
        Matcher release = RELEASE.matcher(served);
        supported = release.find()
                && (Integer.parseInt(release.group(1)) > 1 || Integer.parseInt(release.group(2)) >= MINOR);
        if (!supported) {
            throw new ApiException(new ApiFailure(
                    ApiFailure.FailureKind.UNSUPPORTED,
                    "status.devices of claims is written from Kubernetes 1.36 on, and the server has " + served
                            + ": before it, the right to this is a right to the allocations of all claims",
                    Optional.empty()));
        }
    }

    private static void add(ObjectNode entry, DeviceReport device) {
        entry.put("driver", device.driver()).put("pool", device.pool()).put("device", device.device());
        device.shareId().ifPresent(share -> entry.put("shareID", share));
        Facts facts = device.facts();
        entry.putArray("conditions")
                .addObject()
                .put("type", "Ready")
                .put("status", "True")
                .put(
                        "lastTransitionTime",
                        device.since().truncatedTo(ChronoUnit.SECONDS).toString())
                .put("reason", facts.reason())
                .put("message", facts.message());
        facts.data().ifPresent(data -> entry.set("data", tree(data.text())));
        facts.network().ifPresent(network -> {
            ObjectNode fields = entry.putObject("networkData").put("interfaceName", network.interfaceName());
            if (!network.addresses().isEmpty()) {
                network.addresses().forEach(fields.putArray("ips")::add);
            }
            network.mac().ifPresent(mac -> fields.put("hardwareAddress", mac));
        });
    }

    private static ObjectNode tree(String json) {
        try {
            return JsonTrees.object(json);
        } catch (IOException e) {
            throw new UncheckedIOException("a driver's own data is a JSON object", e);
        }
    }
}
