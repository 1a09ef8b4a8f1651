package io.imexagent.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EnvironmentLayerTest {

    @Test
    void variablesAreNamedAfterTheirKeys() {
        assertThat(EnvironmentLayer.of("http.tls.key")).isEqualTo("IMEX_AGENT_HTTP_TLS_KEY");
        assertThat(EnvironmentLayer.of("prepare.answerWithin")).isEqualTo("IMEX_AGENT_PREPARE_ANSWER_WITHIN");
        assertThat(EnvironmentLayer.of("featureGates.IMEXDaemonsWithDNSNames"))
                .isEqualTo("IMEX_AGENT_FEATURE_GATES_IMEX_DAEMONS_WITH_DNS_NAMES");
        assertThat(EnvironmentLayer.of("featureGates.HostManagedIMEX"))
                .isEqualTo("IMEX_AGENT_FEATURE_GATES_HOST_MANAGED_IMEX");
    }

    @Test
    void anUnknownVariableIsAFaultWithTheNearest() {
        assertThat(faults("IMEX_AGENT_HTP_PORT", "1"))
                .containsExactly(
                        "environment IMEX_AGENT_HTP_PORT: unknown variable; the nearest is" + " IMEX_AGENT_HTTP_PORT");
        assertThat(faults("IMEX_AGENT_X", "1")).containsExactly("environment IMEX_AGENT_X: unknown variable");
    }

    @Test
    void variablesOfOthersAreNobodysBusiness() {
        assertThat(faults("PATH", "/bin")).isEmpty();
        assertThat(faults("FEATURE_GATES", "nonsense")).isEmpty();
    }

    @Test
    void variablesOfTheStartScriptAreNotTheAgents() {
        assertThat(faults("IMEX_AGENT_JAVA_HOME", "/usr/lib/jvm/25")).isEmpty();
        assertThat(faults("IMEX_AGENT_JVM_OPTIONS", "-Xmx64m")).isEmpty();
        assertThat(faults("IMEX_AGENT_CONFIG", "/etc/x.yaml")).isEmpty();
    }

    @Test
    void variablesThatKubernetesSetsForAServiceAreNotTheAgents() {
        assertThat(faults("IMEX_AGENT_SERVICE_HOST", "10.0.0.1")).isEmpty();
        assertThat(faults("IMEX_AGENT_SERVICE_PORT", "9408")).isEmpty();
        assertThat(faults("IMEX_AGENT_SERVICE_PORT_METRICS", "9408")).isEmpty();
        assertThat(faults("IMEX_AGENT_PORT", "tcp://10.0.0.1:9408")).isEmpty();
        assertThat(faults("IMEX_AGENT_PORT_9408_TCP_PROTO", "tcp")).isEmpty();
        assertThat(faults("IMEX_AGENT_METRICS_PORT", "tcp://10.0.0.1:9408")).isEmpty();
        assertThat(faults("IMEX_AGENT_METRICS_PORT", "9408")).isNotEmpty();
    }

    private static List<String> faults(String name, String value) {
        var draft = new ConfigDraft(Optional.empty());
        EnvironmentLayer.read(Map.of(name, value), draft);
        return draft.faults().stream().map(ConfigFault::text).toList();
    }
}
