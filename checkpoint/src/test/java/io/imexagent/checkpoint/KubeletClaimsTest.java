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

    /** The file of a kubelet 1.36.2 that had prepared a claim for each of two pods. */
    private static final Path RECORDED = Path.of("../e2e/src/test/resources/real-cluster/dra_manager_state.json");

    @TempDir
    Path root;

    @Test
    void namesTheClaimsOfTheKubelet() throws IOException {
        state(Files.readString(RECORDED));

        KubeletClaims read = KubeletClaims.read(root);

        assertThat(read)
                .isEqualTo(new KubeletClaims.NamedKubeletClaims(
                        Set.of("9dce425e-9fad-46da-b41d-e59a2deeaad1", "e78377eb-22eb-42aa-9862-c934ac74b301")));
        assertThat(read.has(new ClaimUid("9dce425e-9fad-46da-b41d-e59a2deeaad1")))
                .contains(true);
        assertThat(read.has(new ClaimUid("uid-c"))).contains(false);
    }

    /** Here the UID alone is read; {@link KubeletDriverState} wants to know every field. */
    @Test
    void whatALaterKubeletAddsToAClaimMakesNoDifference() throws IOException {
        KubeletStates.write(root, "uid-a");
        KubeletClaims today = KubeletClaims.read(root);
        KubeletStates.of(root, "{\"Later\":[{\"ClaimUID\":\"uid-b\"}],\"ClaimUID\":\"uid-a\",\"More\":{}}");

        assertThat(KubeletClaims.read(root))
                .isEqualTo(today)
                .isEqualTo(new KubeletClaims.NamedKubeletClaims(Set.of("uid-a")));
    }

    @Test
    void aKubeletWithoutClaimsHasNone() throws IOException {
        KubeletStates.document(
                root,
                "{\"kind\":\"DRACheckpoint\",\"apiVersion\":\"checkpoint.dra.kubelet.k8s.io/v1\",\"ClaimInfoStateList\":null}");

        assertThat(KubeletClaims.read(root)).isEqualTo(new KubeletClaims.NamedKubeletClaims(Set.of()));
    }

    @Test
    void aNodeWithoutTheFileHasNoneEither() {
        assertThat(KubeletClaims.read(root.resolve("gone"))).isEqualTo(new KubeletClaims.NoKubeletClaims());
        assertThat(new KubeletClaims.NoKubeletClaims().has(new ClaimUid("a"))).contains(false);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"kind\":\"Other\",\"apiVersion\":\"checkpoint.dra.kubelet.k8s.io/v1\",\"ClaimInfoStateList\":[]}",
                "{\"kind\":\"DRACheckpoint\",\"apiVersion\":\"checkpoint.dra.kubelet.k8s.io/v2\",\"ClaimInfoStateList\":[]}",
                "{\"kind\":\"DRACheckpoint\",\"apiVersion\":\"checkpoint.dra.kubelet.k8s.io/v1\",\"Claims\":[{}]}",
                "{\"kind\":\"DRACheckpoint\",\"apiVersion\":\"checkpoint.dra.kubelet.k8s.io/v1\",\"ClaimInfoStateList\":{}}",
                "{\"kind\":\"DRACheckpoint\",\"apiVersion\":\"checkpoint.dra.kubelet.k8s.io/v1\",\"ClaimInfoStateList\":[null]}",
                "{\"kind\":\"DRACheckpoint\",\"apiVersion\":\"checkpoint.dra.kubelet.k8s.io/v1\",\"ClaimInfoStateList\":[{}]}",
                "{\"kind\":\"DRACheckpoint\",\"apiVersion\":\"checkpoint.dra.kubelet.k8s.io/v1\",\"ClaimInfoStateList\":[],\"Later\":[]}",
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
        state(Files.readString(RECORDED).replace("3248885708", "3248885709"));

        assertUnreadable("the checksum is of other data");
    }

    @Test
    void isNotReadWithoutEnd() throws IOException {
        state(" ".repeat(KubeletClaims.LARGEST) + Files.readString(RECORDED));

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
                        KubeletClaims.UnreadableKubeletClaims.class,
                        unreadable -> assertThat(unreadable.reason())
                                .contains(root.resolve(KubeletClaims.FILE).toString())
                                .contains(reason));
        assertThat(read.has(new ClaimUid("uid-a"))).isEmpty();
    }
}
