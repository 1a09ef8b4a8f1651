package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.imexagent.core.check.CheckResult;
import io.imexagent.core.check.Severity;
import io.imexagent.kubernetes.Nodes.NodeSoftware;
import java.io.InputStream;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SoftwareChecksTest {

    private static final String KUBELET = "v1.36.2";
    private static final String RUNTIME = "containerd://2.1.4";

    @ParameterizedTest
    @CsvSource({
        "v1.34.0, OK",
        "v1.34.0-rc.1+k3s1, OK",
        "v1.35.3-eks-1a2b3c4, OK",
        "v1.36.2-gke.1200000, OK",
        "v2.0.0, OK",
        "v1.33.1, CRITICAL",
        "v1.33.9+rke2r1, CRITICAL",
        "v1.9.0, CRITICAL",
        "v0.34.1, CRITICAL"
    })
    void aKubeletIsOldEnoughFrom134(String version, Severity status) {
        CheckResult result = kubelet(version);

        assertThat(result.severity()).isEqualTo(status);
        assertThat(result.message()).contains(version);
    }

    @ParameterizedTest
    @CsvSource({
        "containerd://2.0.0, OK",
        "containerd://2.1.4-k3s1, OK",
        "containerd://v2.2.1, OK",
        "containerd://10.0.0, OK",
        "containerd://1.7.2, WARNING",
        "containerd://1.7.24-0ubuntu0~22.04.1~gke1, WARNING",
        "containerd://1.7.0, WARNING",
        "containerd://1.7, WARNING",
        "containerd://1.6.28, CRITICAL",
        "containerd://1.10.1, WARNING",
        "cri-o://1.33.0, OK",
        "cri-o://1.28.0, OK",
        "cri-o://1.34.1-2.rhaos4.21.git1234567.el9, OK",
        "cri-o://1.27.6, CRITICAL",
        "docker://29.4.0, WARNING",
        "podman://5.4.0, WARNING"
    })
    void aRuntimeMustReadCdi(String version, Severity status) {
        CheckResult result = runtime(version);

        assertThat(result.severity()).isEqualTo(status);
        assertThat(result.message()).contains(version);
    }

    @Test
    void whereCdiIsOffByDefaultItSaysHowItIsSwitchedOn() {
        assertThat(runtime("containerd://1.7.27").remedy())
                .hasValueSatisfying(remedy -> assertThat(remedy).contains("enable_cdi = true", "config.toml"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "unknown", "1", "v1", "vx.y", "containerd", "-1.34.0", "v1.34.0.1", "v999999.1.1"})
    void whatIsNoVersionCannotBeTold(String text) {
        assertThat(kubelet(text).severity()).isEqualTo(Severity.WARNING);
        assertThat(kubelet(text).message()).startsWith("cannot tell");
        for (String runtime : List.of(text, "containerd://" + text, "://" + text, "cri-o://" + text)) {
            assertThat(runtime(runtime).severity()).isEqualTo(Severity.WARNING);
            assertThat(runtime(runtime).message()).startsWith("cannot tell");
        }
    }

    /** What a node of an old cluster reports. */
    @Test
    void failsForTheSoftwareOfTheField() throws Exception {
        try (InputStream file = SoftwareChecksTest.class.getResourceAsStream("old-runtime-nodeInfo.json")) {
            JsonNode node = new ObjectMapper().readTree(file);

            assertThat(SoftwareChecks.of(new NodeSoftware(
                            node.path("kubeletVersion").asText(),
                            node.path("containerRuntimeVersion").asText(),
                            false)))
                    .allSatisfy(result -> {
                        assertThat(result.severity()).isEqualTo(Severity.CRITICAL);
                        assertThat(result.remedy())
                                .hasValueSatisfying(remedy -> assertThat(remedy).contains("upgrade"));
                    });
        }
    }

    private static CheckResult kubelet(String version) {
        return SoftwareChecks.of(new NodeSoftware(version, RUNTIME, false)).getFirst();
    }

    private static CheckResult runtime(String version) {
        return SoftwareChecks.of(new NodeSoftware(KUBELET, version, false)).getLast();
    }
}
