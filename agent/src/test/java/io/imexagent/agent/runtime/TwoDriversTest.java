package io.imexagent.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.dra.claim.ClaimPreparer.Unprepared;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.imex.prepare.Node;
import io.imexagent.rdma.rails.RailsNode;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TwoDriversTest {

    @TempDir
    private Path folder;

    @Test
    void aClaimWithAChannelAndRailsIsPreparedByEachDriverForItsOwn() throws Exception {
        String status = """
            {"allocation":{"devices":{"results":[\
            {"request":"channel","driver":"compute-domain.nvidia.com","pool":"node-1","device":"channel-0"},\
            {"request":"nics","driver":"rdma.imexagent.io","pool":"node-1","device":"rail-0000-03-00-0"}],\
            "config":[{"source":"FromClaim","requests":["channel"],"opaque":\
            {"driver":"compute-domain.nvidia.com","parameters":%s}},\
            {"source":"FromClaim","requests":["nics"],"opaque":{"driver":"rdma.imexagent.io","parameters":\
            {"apiVersion":"rdma.imexagent.io/v1alpha1","kind":"RdmaRailConfig"}}}]}}}\
            """.formatted(DraSpecimens.channelConfig(DraSpecimens.DOMAIN, "Single"));
        try (Node channels = Node.in(folder.resolve("channels")).start();
                RailsNode rails = RailsNode.in(folder.resolve("rails")).start()) {
            ClaimRef claim = channels.claim("a");
            channels.claims.put(claim, status);
            rails.put(claim, status);

            assertThat(channels.prepare(claim).toOptional().orElseThrow().devices())
                    .map(PreparedDevice.ReturnedDevice::device)
                    .containsExactly("channel-0");
            assertThat(rails.prepare(claim).toOptional().orElseThrow().devices())
                    .map(PreparedDevice.ReturnedDevice::device)
                    .containsExactly("rail-0000-03-00-0");
            assertThat(rails.unprepare(claim)).isEqualTo(Outcome.accepted(new Unprepared()));
            assertThat(channels.spec(claim)).isPresent();
        }
    }
}
