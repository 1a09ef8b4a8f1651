package io.imexagent.rdma.rails;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.Allocation;
import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.DeviceConfig.Source;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.Grant;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.rails.RailConfig.EnvironmentMode;
import io.imexagent.rdma.watch.RdmaView;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodVariablesTest {

    private static final String CONTAINERD = "containerd://2.1.4";
    private static final String FILE = "NCCL_CONF_FILE=/run/imex-agent/nccl.conf";

    @TempDir
    Path root;

    private RdmaTree tree;

    @BeforeEach
    void aTray() {
        tree = RdmaTree.gb200(root);
    }

    @ParameterizedTest
    @CsvSource({
        "containerd://2.1.4, UNLESS_SET, replace what image and pod set",
        "containerd://1.7.27-0ubuntu1, UNLESS_SET, replace what image and pod set",
        "cri-o://1.34.0, UNLESS_SET, replace what image and pod set",
        "cri-o://1.40.1-dev, UNLESS_SET, replace what image and pod set",
        "cri-o://1.33.3, UNLESS_SET, replace what image and pod set",
        "cri-o://1.33.2, UNLESS_SET, leave what image and pod set",
        "cri-o://1.32.7-3.rhaos4.19, UNLESS_SET, replace what image and pod set",
        "cri-o://1.32.6, UNLESS_SET, leave what image and pod set",
        "cri-o://1.31.11, UNLESS_SET, replace what image and pod set",
        "cri-o://1.30.99, UNLESS_SET, leave what image and pod set",
        "cri-o://main, UNLESS_SET, may replace what image and pod set",
        "docker://28.0.1, ALWAYS, may replace what image and pod set",
        "containerd, ALWAYS, may replace what image and pod set",
    })
    void eachRuntimeHasItsOwnOrder(String runtime, EnvironmentMode standard, String always) throws IOException {
        PodVariables variables = PodVariables.of(Trays.on(runtime, Trays.view(tree)));

        assertThat(variables.defaultMode()).isEqualTo(standard);
        assertThat(variables.always()).isEqualTo(always);
        assertThat(variables.reason()).contains(runtime);
    }

    @Test
    void aRuntimeThatIsNotToldGetsVariablesOfTheCdiSpec() throws IOException {
        assertThat(PodVariables.of(Trays.view(tree)).text())
                .isEqualTo(
                        "always, variables of a claim may replace what image and pod set: the cluster has not said the"
                                + " container runtime");
    }

    /** Variables in a file that the container may not read would be lost without a word. */
    @Test
    void whereSeLinuxIsEnforcedNothingDependsOnAFile() throws IOException {
        tree.file("sys/fs/selinux/enforce", "1");
        assertThat(environment(CONTAINERD)).singleElement().asString().startsWith("NCCL_IB_HCA=");
        tree.file("sys/fs/selinux/enforce", "0");
        assertThat(environment(CONTAINERD)).containsExactly(FILE);
    }

    @Test
    void whatAPodSetsWinsWhereTheClaimSaysNothing() throws IOException {
        assertThat(environment(CONTAINERD)).containsExactly(FILE);
        assertThat(environment("docker://28.0.1")).singleElement().asString().startsWith("NCCL_IB_HCA=");
    }

    @Test
    void whatAClaimOrAClassSaysHoldsOnEachRuntime() throws IOException {
        for (Source source : Source.values()) {
            RdmaView view = Trays.on(CONTAINERD, Trays.view(tree));
            ClaimStatus status = Trays.status(List.of(Trays.config(source, "always")), Trays.RDMA0);

            assertThat(edits(view, status).shared().environment())
                    .singleElement()
                    .asString()
                    .startsWith("NCCL_IB_HCA=");
        }
    }

    /** Before the node decided, a request without the field had the same as one that says always. */
    @Test
    void requestsOfWhichOneSaysItAgree() throws IOException {
        var allocation = new Allocation(
                List.of(
                        DraSpecimens.allocated("a", RailDriver.NAME, Trays.POOL, Trays.RDMA0),
                        DraSpecimens.allocated("b", RailDriver.NAME, Trays.POOL, Trays.RDMA1)),
                List.of(Trays.config(Source.FROM_CLAIM, "always", "b")),
                Optional.empty(),
                Optional.empty());

        ClaimEdits edits = edits(
                Trays.on(CONTAINERD, Trays.view(tree)), new ClaimStatus(Optional.of(allocation), List.of(), List.of()));

        assertThat(edits.shared().environment()).containsExactly("NCCL_IB_HCA==mlx5_0,mlx5_1");
    }

    /** The spec of a claim that an earlier agent prepared is written again, and a container that starts then gets the file. */
    @Test
    void theSpecOfAPreparedClaimFollowsTheNode() throws IOException {
        ClaimStatus status = Trays.status(Trays.RDMA0);
        RdmaView before = Trays.view(tree);
        ClaimEntry.Completed entry =
                Trays.entry(status, plan(before, status).toOptional().orElseThrow());

        Optional<ClaimEdits> edits =
                RailPlanner.edits(Trays.POOL, entry, Optional.of(Trays.on(CONTAINERD, before)), Trays.UNABLE);

        assertThat(edits.orElseThrow().shared().environment()).containsExactly(FILE);
    }

    private List<String> environment(String runtime) throws IOException {
        return edits(Trays.on(runtime, Trays.view(tree)), Trays.status(Trays.RDMA0))
                .shared()
                .environment();
    }

    private static ClaimEdits edits(RdmaView view, ClaimStatus status) {
        return plan(view, status).toOptional().orElseThrow().edits();
    }

    private static Outcome<Grant> plan(RdmaView view, ClaimStatus status) {
        return Trays.plan(Trays.CLAIM, status, Trays.noClaims(), Optional.of(view));
    }
}
