package io.imexagent.kubernetes.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.control.ClaimUse;
import io.imexagent.kubernetes.json.JsonTrees;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What a claim's JSON says to the ledger of channels. */
class ClaimUseJsonTest {

    private static ClaimUse read(String... results) throws IOException {
        ObjectNode claim = JsonTrees.object();
        claim.putObject("metadata")
                .put("uid", "u")
                .put("namespace", "team")
                .put("name", "claim")
                .put("resourceVersion", "7");
        ObjectNode opaque = claim.putObject("spec")
                .putObject("devices")
                .putArray("config")
                .addObject()
                .putObject("opaque");
        opaque.put("driver", DriverNames.DRIVER).putObject("parameters").put("domainID", "domain-uid");
        ArrayNode allocated = claim.putObject("status")
                .putObject("allocation")
                .putObject("devices")
                .putArray("results");
        for (String result : results) {
            String[] parts = result.split(" ", 2);
            allocated
                    .addObject()
                    .put("driver", parts[0])
                    .put("device", parts[1])
                    .put("pool", "tray-1");
        }
        return ControlJson.CLAIM.decode(JsonTrees.text(claim)).orElseThrow();
    }

    @Test
    void aClaimUsesTheOneChannelThatItIsAllocated() throws IOException {
        ClaimUse claim = read("gpu.nvidia.com gpu-0", DriverNames.DRIVER + " channel-5", "gpu.nvidia.com gpu-1");

        assertThat(claim.channels()).containsExactly(new ChannelId(5));
        assertThat(claim.domains()).containsExactly("domain-uid");
        assertThat(claim.nodes()).containsExactly("tray-1");
    }

    @Test
    void aClaimWithSeveralDevicesUsesNoneButIsItsDomainsAllTheSame() throws IOException {
        ClaimUse several = read(
                DriverNames.DRIVER + " channel-1",
                DriverNames.DRIVER + " channel-2",
                DriverNames.DRIVER + " channel-3");
        ClaimUse withDaemon = read(DriverNames.DRIVER + " channel-1", DriverNames.DRIVER + " daemon-0");

        assertThat(several.channels()).isEmpty();
        assertThat(several.domains()).containsExactly("domain-uid");
        assertThat(withDaemon.channels()).isEmpty();
    }
}
