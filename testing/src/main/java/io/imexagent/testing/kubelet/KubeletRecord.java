package io.imexagent.testing.kubelet;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.zip.CRC32;

/** The file in which a kubelet keeps its claims, {@code dra_manager_state}, as kubernetes 1.36 writes it. */
public final class KubeletRecord {

    private KubeletRecord() {}

    /** The kubelet with this root directory has these claims, of which the driver has answered so. */
    public static void write(Path kubeletRoot, String driver, Map<KubeletClaimRequest, ClaimResult.ClaimDone> answers)
            throws IOException {
        ObjectNode document = JsonNodeFactory.instance
                .objectNode()
                .put("kind", "DRACheckpoint")
                .put("apiVersion", "checkpoint.dra.kubelet.k8s.io/v1");
        ArrayNode claims = document.putArray("ClaimInfoStateList");
        answers.forEach((claim, answer) -> {
            ObjectNode entry = claims.addObject()
                    .put("ClaimUID", claim.uid())
                    .put("ClaimName", claim.name())
                    .put("Namespace", claim.namespace());
            entry.putObject("PodUIDs").putObject("00000000-0000-4000-8000-00000000000a");
            ArrayNode devices = entry.putObject("DriverState").putObject(driver).putArray("Devices");
            for (ClaimResult.ClaimDevice device : answer.devices()) {
                ObjectNode told =
                        devices.addObject().put("PoolName", device.pool()).put("DeviceName", device.name());
                device.shareId().ifPresent(share -> told.put("ShareID", share));
                device.requests().forEach(told.putArray("RequestNames")::add);
                device.cdiDeviceIds().forEach(told.putArray("CDIDeviceIDs")::add);
            }
        });
        String data = document.toString();
        var sum = new CRC32();
        sum.update(data.getBytes(UTF_8));
        Files.writeString(
                kubeletRoot.resolve("dra_manager_state"),
                JsonNodeFactory.instance
                        .objectNode()
                        .put("Data", data)
                        .put("Checksum", sum.getValue())
                        .toString());
    }
}
