package io.imexagent.checkpoint;

import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.PreparedDevice.ReturnedDevice;
import io.imexagent.files.FileFault;
import io.imexagent.host.json.MalformedJsonException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A driver's answers as the kubelet records them, in the same file as {@link KubeletClaims}: each claim with its name,
 * and in its {@code DriverState} the devices that the driver returned. An unknown field makes the record unreadable,
 * since an overlooked answer would count as no answer.
 */
public sealed interface KubeletDriverState {

    /** The fields of a claim's entry, of a driver's state, and of a device (kubernetes 1.34 to 1.36). */
    List<Set<String>> FIELDS = List.of(
            Set.of("ClaimUID", "ClaimName", "Namespace", "PodUIDs", "DriverState"),
            Set.of("Devices"),
            Set.of("PoolName", "DeviceName", "ShareID", "RequestNames", "CDIDeviceIDs"));

    /**
     * A claim as the kubelet records it; without devices if the driver has not answered yet, or does not serve the
     * claim.
     */
    record KubeletClaim(ClaimName name, List<ReturnedDevice> devices) {

        public KubeletClaim {
            devices = List.copyOf(devices);
        }
    }

    /** The claims of the record, and when it was written. */
    record KnownDriverState(SortedMap<ClaimUid, KubeletClaim> claims, Instant written) implements KubeletDriverState {

        public KnownDriverState {
            claims = Collections.unmodifiableSortedMap(new TreeMap<>(claims));
        }
    }

    /** The record is missing or cannot be read; the reason names the file. */
    record UnknownDriverState(String reason) implements KubeletDriverState {}

    /** Reads the driver's answers that the kubelet with this root directory records. */
    static KubeletDriverState read(Path kubeletRoot, String driver) {
        Path file = kubeletRoot.resolve(KubeletClaims.FILE);
        try {
            Instant written = Files.getLastModifiedTime(file).toInstant();
            var claims = new TreeMap<ClaimUid, KubeletClaim>();
            for (JsonValue entry : KubeletClaims.entries(KubeletClaims.content(file), value -> value)) {
                known(entry, 0);
                String uid = entry.required("ClaimUID", JsonValue::text);
                ClaimUid parsed =
                        ClaimUid.parse(uid).orElseThrow(() -> entry.malformed("field \"ClaimUID\" is no UID"));
                if (claims.put(parsed, readClaim(entry, driver)) != null) {
                    throw entry.malformed("claim " + uid + " stands there twice");
                }
            }
            return new KnownDriverState(claims, written);
        } catch (NoSuchFileException absent) {
            return new UnknownDriverState(file + " is missing");
        } catch (MalformedJsonException unknown) {
            return new UnknownDriverState(KubeletClaims.notUnderstood(file, unknown));
        } catch (IOException failure) {
            return new UnknownDriverState(
                    String.valueOf(FileFault.of("read", file, failure, "").getMessage()));
        }
    }

    private static KubeletClaim readClaim(JsonValue entry, String driver) throws MalformedJsonException {
        ClaimName name = ClaimName.parse(entry.text("Namespace"), entry.text("ClaimName"))
                .orElseThrow(() -> entry.malformed("namespace and name are no claim's"));
        Optional<JsonValue> state = entry.field("DriverState", value -> value);
        List<ReturnedDevice> devices = List.of();
        if (state.isPresent()) {
            for (JsonValue one : state.get().fields()) {
                known(one, 1);
                if (one.name().equals(driver)) {
                    devices = latest(one.list("Devices", KubeletDriverState::device));
                }
            }
        }
        return new KubeletClaim(name, devices);
    }

    /** Keeps the last answer for each device: a kubelet that prepares again appends the new answer to the old ones. */
    private static List<ReturnedDevice> latest(List<ReturnedDevice> appended) {
        var latest = new LinkedHashMap<List<Object>, ReturnedDevice>();
        appended.forEach(device -> latest.putLast(List.of(device.pool(), device.device(), device.shareId()), device));
        return List.copyOf(latest.values());
    }

    private static ReturnedDevice device(JsonValue json) throws MalformedJsonException {
        known(json, 2);
        return new ReturnedDevice(
                json.texts("RequestNames"),
                json.text("PoolName"),
                json.text("DeviceName"),
                json.texts("CDIDeviceIDs"),
                json.field("ShareID", JsonValue::text));
    }

    private static void known(JsonValue json, int level) throws MalformedJsonException {
        for (JsonValue field : json.fields()) {
            if (!FIELDS.get(level).contains(field.name())) {
                throw field.malformed("is an unknown field");
            }
        }
    }
}
