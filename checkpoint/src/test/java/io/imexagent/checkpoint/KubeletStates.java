package io.imexagent.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.imexagent.core.ledger.PreparedDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.zip.CRC32;

/** Writes the kubelet's checkpoint of claims, as a kubelet has it. */
public final class KubeletStates {

    private KubeletStates() {}

    /** The kubelet with this root directory has these claims. */
    public static void write(Path kubeletRoot, String... uids) throws IOException {
        String entries = Arrays.stream(uids).map("""
                        {"ClaimUID":"%s","ClaimName":"a","Namespace":"team","PodUIDs":{"pod-1":{}},"DriverState":{}}\
                        """::formatted).collect(Collectors.joining(","));
        document(kubeletRoot, """
                {"kind":"DRACheckpoint","apiVersion":"checkpoint.dra.kubelet.k8s.io/v1","ClaimInfoStateList":[%s]}\
                """.formatted(entries));
    }

    /** The kubelet with this root directory has these entries, each made by {@link #entry} or {@link #asked}. */
    public static void of(Path kubeletRoot, String... entries) throws IOException {
        document(kubeletRoot, """
                {"kind":"DRACheckpoint","apiVersion":"checkpoint.dra.kubelet.k8s.io/v1","ClaimInfoStateList":[%s]}\
                """.formatted(String.join(",", entries)));
    }

    /** The claim {@code team/<name>} that the driver has answered with these devices, the last one last. */
    public static String entry(String uid, String name, String driver, PreparedDevice.ReturnedDevice... devices) {
        return entry(
                uid,
                name,
                driver,
                Arrays.stream(devices).map(KubeletStates::device).collect(Collectors.joining(",")));
    }

    private static String device(PreparedDevice.ReturnedDevice device) {
        return """
                {"PoolName":"%s","DeviceName":"%s",%s"RequestNames":["%s"],"CDIDeviceIDs":%s}""".formatted(
                device.pool(),
                device.device(),
                device.shareId().map(share -> "\"ShareID\":\"" + share + "\",").orElse(""),
                device.requests().getFirst(),
                device.cdiDeviceIds().stream().map(id -> "\"" + id + "\"").collect(Collectors.joining(",", "[", "]")));
    }

    /** The claim {@code team/<name>} of which the driver was asked, and has not answered. */
    public static String asked(String uid, String name, String driver) {
        return entry(uid, name, driver, "");
    }

    private static String entry(String uid, String name, String driver, String devices) {
        return """
                {"ClaimUID":"%s","ClaimName":"%s","Namespace":"team","PodUIDs":{"pod-1":{}},"DriverState":{"%s":\
                {"Devices":[%s]}}}""".formatted(uid, name, driver, devices);
    }

    /** The kubelet's checkpoint has this document, with the right checksum. */
    static void document(Path kubeletRoot, String document) throws IOException {
        var sum = new CRC32();
        sum.update(document.getBytes(UTF_8));
        Files.createDirectories(kubeletRoot);
        Files.writeString(
                kubeletRoot.resolve(KubeletClaims.FILE),
                "{\"Data\":\"" + document.replace("\"", "\\\"") + "\",\"Checksum\":" + sum.getValue() + "}");
    }
}
