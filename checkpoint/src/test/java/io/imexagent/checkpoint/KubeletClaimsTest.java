package io.imexagent.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimUid;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KubeletClaimsTest {

    /** In the form that Go's encoder gives it; the checksum is zlib's. */
    private static final String WRITTEN = """
            {"Data":"{\\"kind\\":\\"DRACheckpoint\\",\\"apiVersion\\":\\"checkpoint.dra.kubelet.k8s.io/v1\\",\\"Entries\\":[\
            {\\"ClaimUID\\":\\"uid-a\\",\\"ClaimName\\":\\"a\\",\\"Namespace\\":\\"team\\",\\"PodUIDs\\":{\\"pod-1\\":{}},\
            \\"DriverState\\":{\\"compute-domain.nvidia.com\\":{\\"Devices\\":[{\\"PoolName\\":\\"node-1\\",\
            \\"DeviceName\\":\\"channel-0\\",\\"RequestNames\\":[\\"channel\\"],\
            \\"CDIDeviceIDs\\":[\\"k8s.compute-domain.nvidia.com/claim=uid-a-channel-0\\"]}]}}},\
            {\\"ClaimUID\\":\\"uid-b\\",\\"ClaimName\\":\\"b\\",\\"Namespace\\":\\"team\\",\\"PodUIDs\\":{},\
            \\"DriverState\\":{\\"rdma.imexagent.io\\":{\\"Devices\\":null}}}]}","Checksum":2641790489}\
            """;

    @TempDir
    Path root;

    @Test
    void namesTheClaimsOfTheKubelet() throws IOException {
        state(WRITTEN);

        KubeletClaims read = KubeletClaims.read(root);

        assertThat(read).isEqualTo(new KubeletClaims.Named(Set.of("uid-a", "uid-b")));
        assertThat(read.has(new ClaimUid("uid-b"))).contains(true);
        assertThat(read.has(new ClaimUid("uid-c"))).contains(false);
    }

    @Test
    void aKubeletWithoutClaimsHasNone() throws IOException {
        KubeletStates.document(
                root,
                "{\"kind\":\"DRACheckpoint\",\"apiVersion\":\"checkpoint.dra.kubelet.k8s.io/v1\",\"Entries\":null}");

        assertThat(KubeletClaims.read(root)).isEqualTo(new KubeletClaims.Named(Set.of()));
    }

    @Test
    void aNodeWithoutTheFileHasNoneEither() {
        assertThat(KubeletClaims.read(root.resolve("gone"))).isEqualTo(new KubeletClaims.Missing());
        assertThat(new KubeletClaims.Missing().has(new ClaimUid("a"))).contains(false);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"kind\":\"Other\",\"apiVersion\":\"checkpoint.dra.kubelet.k8s.io/v1\",\"Entries\":[]}",
                "{\"kind\":\"DRACheckpoint\",\"apiVersion\":\"checkpoint.dra.kubelet.k8s.io/v2\",\"Entries\":[]}",
                "{\"kind\":\"DRACheckpoint\",\"apiVersion\":\"checkpoint.dra.kubelet.k8s.io/v1\",\"Claims\":[{}]}",
                "{\"kind\":\"DRACheckpoint\",\"apiVersion\":\"checkpoint.dra.kubelet.k8s.io/v1\",\"Entries\":{}}",
                "{\"kind\":\"DRACheckpoint\",\"apiVersion\":\"checkpoint.dra.kubelet.k8s.io/v1\",\"Entries\":[null]}",
                "{\"kind\":\"DRACheckpoint\",\"apiVersion\":\"checkpoint.dra.kubelet.k8s.io/v1\",\"Entries\":[{}]}",
                "[]"
            })
    void aDocumentOfAnotherFormTellsNothing(String document) throws IOException {
        KubeletStates.document(root, document);

        assertUnreadable("no state of a kubelet that this agent understands");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "[]", "{}", "{\"version\":\"v1\",\"entries\":[],\"checksum\":1}"})
    void aFileOfAnotherFormTellsNothing(String content) throws IOException {
        state(content);

        assertUnreadable("no state of a kubelet that this agent understands");
    }

    @Test
    void aWrongChecksumTellsNothing() throws IOException {
        state(WRITTEN.replace("2641790489", "2641790488"));

        assertUnreadable("the checksum is of other data");
    }

    @Test
    void isNotReadWithoutEnd() throws IOException {
        state(" ".repeat(KubeletClaims.LARGEST) + WRITTEN);

        assertUnreadable("is larger than");
    }

    @Test
    void whatIsNoFileTellsNothing() throws IOException {
        Files.createDirectory(root.resolve(KubeletClaims.FILE));

        assertUnreadable("cannot read " + root.resolve(KubeletClaims.FILE) + ": Is a directory");
    }

    private void state(String content) throws IOException {
        Files.writeString(root.resolve(KubeletClaims.FILE), content);
    }

    private void assertUnreadable(String reason) {
        KubeletClaims read = KubeletClaims.read(root);
        assertThat(read)
                .isInstanceOfSatisfying(
                        KubeletClaims.Unreadable.class,
                        unreadable -> assertThat(unreadable.reason())
                                .contains(root.resolve(KubeletClaims.FILE).toString())
                                .contains(reason));
        assertThat(read.has(new ClaimUid("uid-a"))).isEmpty();
    }
}
