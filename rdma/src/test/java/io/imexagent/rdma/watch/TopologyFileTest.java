package io.imexagent.rdma.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.inventory.Finding;
import io.imexagent.rdma.fixture.FaultyFiles;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.fixture.Settings;
import io.imexagent.rdma.probe.HostFiles;
import io.imexagent.rdma.probe.RdmaProbe;
import io.imexagent.rdma.probe.RootedFiles;
import io.imexagent.rdma.watch.NodeAddresses.KnownAddresses;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TopologyFileTest {

    private static final String PATH = "/etc/nccl-topo.xml";

    @TempDir
    Path root;

    private RdmaTree tree;

    @BeforeEach
    void aTray() {
        tree = RdmaTree.gb200(root);
    }

    @Test
    void aFileThatIsThereIsNoFinding() throws IOException {
        tree.file("etc/nccl-topo.xml", "<system/>");

        RdmaView view = view(new RootedFiles(root));

        assertThat(view.topologyFile()).contains(PATH);
        assertThat(view.selection().findings()).isEmpty();
    }

    @Test
    void aFileThatNoContainerCanHaveIsAFindingWithTheReason() throws IOException {
        assertThat(finding(new RootedFiles(root))).endsWith("names " + PATH + ", and it is missing");
        tree.file("etc/nccl-topo.xml", " ");
        assertThat(finding(new RootedFiles(root))).endsWith("and it is empty");
        assertThat(finding(new FaultyFiles(new RootedFiles(root)).fail("nccl-topo.xml", "Permission denied")))
                .endsWith("and cannot read /etc/nccl-topo.xml: Permission denied");
        tree.without("etc/nccl-topo.xml").file("etc/nccl-topo.xml/inner", "x");
        assertThat(finding(new RootedFiles(root))).contains("directory");
    }

    @Test
    void aNodeThatNamesNoFileMissesNone() throws IOException {
        assertThat(RdmaView.read(
                                new RdmaProbe(new RootedFiles(root)),
                                Clock.systemUTC(),
                                tree.gpus(),
                                new KnownAddresses.ReadAddresses(Set.of(), Optional.empty()),
                                Settings.OFF)
                        .selection()
                        .findings())
                .isEmpty();
    }

    private String finding(HostFiles files) throws IOException {
        RdmaView view = view(files);
        assertThat(view.topologyFile()).isEmpty();
        List<Finding> findings = view.selection().findings();
        assertThat(findings).extracting(Finding::code).containsExactly("rdma-topology-file");
        return findings.getFirst().message();
    }

    private RdmaView view(HostFiles files) throws IOException {
        return RdmaView.read(
                new RdmaProbe(files),
                Clock.systemUTC(),
                tree.gpus(),
                new KnownAddresses.ReadAddresses(Set.of(), Optional.empty()),
                Settings.withTopologyFile(PATH));
    }
}
