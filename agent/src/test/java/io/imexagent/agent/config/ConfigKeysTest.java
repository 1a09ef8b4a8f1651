package io.imexagent.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigKeysTest {

    @TempDir
    Path folder;

    @Test
    void pathsVariablesAndFlagsAreUnique() {
        assertThat(ConfigKeys.ALL).extracting(key -> key.path()).doesNotHaveDuplicates();
        assertThat(ConfigKeys.ALL).extracting(key -> key.environmentVariable()).doesNotHaveDuplicates();
        assertThat(ConfigKeys.ALL.stream().map(key -> key.flag()).flatMap(Optional::stream))
                .doesNotHaveDuplicates()
                .doesNotContain(ConfigKeys.SET_FLAG, ConfigKeys.FEATURE_GATES_FLAG);
    }

    @Test
    void noPathIsASectionOfAnother() {
        assertThat(ConfigKeys.paths()).noneMatch(KeySpace::isSection);
    }

    @Test
    void everyKeyStandsInTheList() throws IllegalAccessException {
        List<Object> declared = new ArrayList<>();
        for (Class<?> keys : List.of(ConfigKeys.class, ImexHealthKeys.class, ImexServiceKeys.class, RdmaKeys.class)) {
            for (Field field : keys.getDeclaredFields()) {
                if (field.getType() == ConfigKey.class) {
                    declared.add(field.get(null));
                }
            }
        }

        assertThat(ConfigKeys.ALL)
                .hasSameElementsAs(declared.stream()
                        .map(ConfigKey.class::cast)
                        .<ConfigKey<?>>map(key -> key)
                        .toList())
                .doesNotHaveDuplicates();
    }

    @Test
    void everyKeyReadsTheValueThatItSets() {
        for (ConfigKey<?> key : ConfigKeys.ALL) {
            AgentConfig config = new ConfigFixture(folder)
                    .set("http.tls.certificate=/etc/imex-agent/tls.crt")
                    .set("http.tls.key=/etc/imex-agent/tls.key")
                    .set(key.path() + "=" + key.sample())
                    .config();

            assertThat(key.textIn(config)).as(key.path()).contains(key.sample());
        }
    }

    @Test
    void everySampleIsAValue() {
        assertThat(ConfigKeys.ALL)
                .allSatisfy(key -> assertThat(key.type().parse(key.sample())).isPresent());
    }
}
