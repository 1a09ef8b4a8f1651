package io.imexagent.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

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
