package io.imexagent.rdma.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.rdma.fixture.FaultyFiles;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.inventory.NicReading;
import io.imexagent.rdma.inventory.RdmaInventory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What goes wrong with one device in the middle of a scan costs that device, and no other. */
class ScanFaultsTest {

    @TempDir
    Path root;

    @Test
    void aDeviceThatAnswersWithEinvalCostsItselfOnly() throws IOException {
        RdmaTree tree = RdmaTree.gb200(root);

        RdmaInventory inventory = Scans.of(tree, faulty(tree).fail("mlx5_4/ports/1/state", "Invalid argument"));

        assertOnlyFailed(inventory, "mlx5_4", "Invalid argument");
    }

    @Test
    void aDeviceThatVanishesInTheMiddleCostsItselfOnly() throws IOException {
        RdmaTree tree = RdmaTree.gb200(root);

        RdmaInventory inventory =
                Scans.of(tree, faulty(tree).before("mlx5_4/ports/1/rate", () -> tree.remove("mlx5_4")));

        assertOnlyFailed(inventory, "mlx5_4", "vanished while it was read");
    }

    @Test
    void aDeviceThatMovesInTheMiddleCostsItselfOnly() throws IOException {
        RdmaTree tree = RdmaTree.gb200(root);

        RdmaInventory inventory = Scans.of(
                tree,
                faulty(tree)
                        .before(
                                "mlx5_4/ports/1/rate",
                                () -> tree.change("mlx5_4", nic -> nic.address("0011:03:00.0"))));

        assertOnlyFailed(inventory, "mlx5_4", "changed while it was read");
    }

    @Test
    void aNodeThatIsRenumberedInTheMiddleCostsItsDeviceOnly() throws IOException {
        RdmaTree tree = RdmaTree.gb200(root);

        RdmaInventory inventory = Scans.of(
                tree, faulty(tree).before("mlx5_4/ports/1/rate", () -> tree.change("mlx5_4", nic -> nic.uverbs(20))));

        assertOnlyFailed(inventory, "mlx5_4", "changed while it was read");
        assertThat(Scans.nic(Scans.of(tree), "mlx5_4").uverbs())
                .hasValueSatisfying(uverbs -> assertThat(uverbs.name()).isEqualTo("uverbs20"));
    }

    @Test
    void aDeviceInSoftwareOrOnAnotherBusCostsItselfOnly() throws IOException {
        RdmaTree tree = RdmaTree.gb200(root).softDevice("rxe0");
        tree.without(tree.pciFolder("mlx5_0") + "/subsystem")
                .link(tree.pciFolder("mlx5_0") + "/subsystem", "../../vmbus");

        RdmaInventory inventory = Scans.of(tree);

        assertThat(inventory.nics()).hasSize(9);
        assertThat(inventory.nics().getLast()).isEqualTo(new NicReading.SoftwareNic("rxe0"));
        assertThat(inventory.nics().getFirst())
                .isInstanceOfSatisfying(
                        NicReading.FailedNic.class,
                        failed -> assertThat(failed.reason()).contains("on the bus vmbus", "NCCL"));
    }

    @Test
    void aDeviceWithoutANodeIsReadAllTheSame() throws IOException {
        RdmaTree tree = RdmaTree.gb200(root);

        RdmaInventory inventory = Scans.of(tree, faulty(tree).fail("uverbs4/dev", "Invalid argument"));

        assertThat(Scans.nic(inventory, "mlx5_4").uverbs()).isEmpty();
        assertThat(Scans.nic(inventory, "mlx5_5").uverbs()).isPresent();
    }

    /** Every single call of a scan fails once; a scan never ends for it, unless the list of devices cannot be read. */
    @Test
    void anyCallMayFail() throws IOException {
        RdmaTree tree = RdmaTree.gb200(root);
        tree.change("mlx5_0", nic -> nic.slots(4));
        var files = new RememberedFiles(new RootedFiles(root), new HashMap<>());
        Scans.of(tree, files);

        var calls = new TreeSet<>(files.paths());
        assertThat(calls).hasSizeGreaterThan(200);
        calls.remove("sys/class/infiniband");
        for (String path : calls) {
            RdmaInventory inventory = Scans.of(tree, new FaultyFiles(files).fail(path, "Input/output error"));

            assertThat(inventory.nics()).as(path).hasSize(8);
            assertThat(inventory.nics().stream().filter(NicReading.FailedNic.class::isInstance))
                    .as(path)
                    .hasSizeLessThanOrEqualTo(1);
        }
    }

    private static void assertOnlyFailed(RdmaInventory inventory, String device, String reason) {
        assertThat(inventory.nics().stream().filter(NicReading.FailedNic.class::isInstance))
                .singleElement()
                .isInstanceOfSatisfying(NicReading.FailedNic.class, failed -> {
                    assertThat(failed.device()).isEqualTo(device);
                    assertThat(failed.reason()).contains(reason);
                });
        assertThat(inventory.nics()).hasSize(8);
    }

    private static FaultyFiles faulty(RdmaTree tree) {
        return new FaultyFiles(new RootedFiles(tree.root()));
    }

    /** The files of a host that stays as it is: each thing is asked once. */
    private record RememberedFiles(HostFiles files, Map<String, Object> answers) implements HostFiles {

        private interface Question {
            Object ask(String path) throws IOException;
        }

        Set<String> paths() {
            return answers.keySet().stream()
                    .map(question -> question.substring(question.indexOf(' ') + 1))
                    .collect(Collectors.toSet());
        }

        private Object answer(String kind, String path, Question question) throws IOException {
            String key = kind + " " + path;
            if (!answers.containsKey(key)) {
                answers.put(key, asked(path, question));
            }
            if (answers.get(key) instanceof IOException failure) {
                throw failure;
            }
            return Objects.requireNonNull(answers.get(key));
        }

        private static Object asked(String path, Question question) {
            try {
                return question.ask(path);
            } catch (IOException failure) {
                return failure;
            }
        }

        @Override
        public String read(String path) throws IOException {
            return (String) answer("read", path, files::read);
        }

        @Override
        public List<String> list(String path) throws IOException {
            return ((List<?>) answer("list", path, files::list))
                    .stream().map(String.class::cast).toList();
        }

        @Override
        public String target(String path) throws IOException {
            return (String) answer("target", path, files::target);
        }

        @Override
        public String resolve(String path) throws IOException {
            return (String) answer("resolve", path, files::resolve);
        }
    }
}
