package io.imexagent.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClassPathTest {

    @Test
    void carriesNoClientOfOthers() {
        assertThat(classPath().split(":", -1))
                .noneMatch(entry -> entry.contains("/io/fabric8/") || entry.contains("/io/kubernetes/"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "io.fabric8.kubernetes.api.model.Pod",
                "io.fabric8.kubernetes.client.impl.KubernetesClientImpl",
                "org.snakeyaml.engine.v2.api.Load"
            })
    void carriesNothingThatIsHeavy(String type) {
        assertThatThrownBy(() -> Class.forName(type)).isInstanceOf(ClassNotFoundException.class);
    }

    /** Surefire starts with one jar that names the others, and keeps the whole path in a property of its own. */
    private static String classPath() {
        return Optional.ofNullable(System.getProperty("surefire.test.class.path"))
                .orElseGet(() -> System.getProperty("java.class.path"));
    }
}
