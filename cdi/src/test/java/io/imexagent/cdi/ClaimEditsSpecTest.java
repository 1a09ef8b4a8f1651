package io.imexagent.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.claim.ClaimEdits.Edits;
import io.imexagent.core.claim.ClaimUid;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What was worked out for a claim, as the file that runtimes read. */
class ClaimEditsSpecTest {

    private static final CdiKind KIND = new CdiKind("k8s.rdma.imexagent.io", "claim");
    private static final ClaimUid CLAIM = new ClaimUid("00000000-0000-4000-8000-000000000007");

    @TempDir
    Path folder;

    @Test
    void nodesAndEnvironmentNeedNoNewRuntime() throws IOException {
        assertThat(written(edits(List.of(), List.of()))).isEqualTo(golden("0.5.0-rails-verbs.yaml"));
        assertThat(golden("0.5.0-rails-verbs.yaml").version()).isEqualTo(CdiVersion.V0_5_0);
    }

    @Test
    void anInterfaceNeedsOneThatKnowsIt() throws IOException {
        assertThat(written(edits(
                        List.of(new ClaimEdits.Interface("rdma0", "rdma0")),
                        List.of(new ClaimEdits.Hook(
                                "createRuntime", "/usr/libexec/imex-agent/rail-arp-hook", List.of("rdma0"))))))
                .isEqualTo(golden("1.1.0-rails-netdev.yaml"));
        assertThat(golden("1.1.0-rails-netdev.yaml").version()).isEqualTo(CdiVersion.V1_1_0);
    }

    private static ClaimEdits edits(List<ClaimEdits.Interface> interfaces, List<ClaimEdits.Hook> hooks) {
        var device = new Edits(
                List.of(new ClaimEdits.DeviceNodeEdits("/dev/infiniband/uverbs0", 231, 192)),
                List.of(),
                interfaces,
                List.of(),
                List.of());
        var shared = new Edits(
                List.of(new ClaimEdits.DeviceNodeEdits("/dev/infiniband/rdma_cm", 10, 121)),
                List.of("NCCL_IB_HCA==mlx5_0", "NCCL_TOPO_FILE=/etc/nccl-topo.xml"),
                List.of(),
                List.of(new ClaimEdits.Mount("/etc/nccl-topo.xml", "/etc/nccl-topo.xml")),
                hooks);
        return new ClaimEdits(
                shared,
                new TreeMap<>(Map.of(CLAIM + "-rail-0000-03-00-0", new ClaimEdits.DeviceEdits("mlx5_0", device))));
    }

    private CdiSpec written(ClaimEdits edits) throws IOException {
        var directory = new CdiDirectory(folder, KIND);
        directory.ensure(CLAIM, edits);
        return CdiSpecReader.read(directory, CLAIM).orElseThrow();
    }

    /** A file that was written by hand. */
    private static CdiSpec golden(String name) throws IOException {
        try (InputStream in = ClaimEditsSpecTest.class.getResourceAsStream("/specs/good/" + name)) {
            return CdiSpecReader.yaml().read(Objects.requireNonNull(in, name).readAllBytes());
        } catch (InvalidCdiSpecException e) {
            throw new AssertionError(name, e);
        }
    }
}
