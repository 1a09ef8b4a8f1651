package io.imexagent.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.rdma.watch.NameList;
import io.imexagent.rdma.watch.RailSettings;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
    void everyValueOfTheConfigurationHasAKey() {
        assertThat(leaves("", AgentConfig.class)).hasSameSizeAs(ConfigKeys.ALL);
        assertThat(leaves("", AgentConfig.class).stream().map(path -> path.toLowerCase(Locale.ROOT)))
                .containsExactlyInAnyOrderElementsOf(ConfigKeys.paths().stream()
                        .map(path -> path.toLowerCase(Locale.ROOT))
                        .toList());
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

    private static List<String> leaves(String prefix, Class<?> type) {
        List<String> paths = new ArrayList<>();
        for (RecordComponent component : type.getRecordComponents()) {
            String path = prefix + component.getName();
            Class<?> nested = component.getGenericType().getTypeName().contains("$Tls")
                    ? AgentConfig.Tls.class
                    : component.getType();
            if (nested.isRecord() && nested != NameList.class) {
                // Not a section of the file: its keys stand among those of rdma.
                paths.addAll(leaves(nested == RailSettings.class ? prefix : path + ".", nested));
            } else {
                paths.add(path);
            }
        }
        return paths;
    }
}
