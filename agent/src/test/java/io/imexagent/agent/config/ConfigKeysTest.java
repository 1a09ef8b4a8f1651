package io.imexagent.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.agent.config.ConfigValues.ConfigEntry;
import io.imexagent.core.setting.Setting;
import io.imexagent.core.setting.Value;
import io.imexagent.nvml.simulated.TrayPreset;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
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
        assertThat(ConfigKeys.ALL).noneMatch(key -> ConfigKeys.isSection(key.path()));
    }

    /** A component without annotation, in a record that is no section, would be a setting that nobody can set. */
    @Test
    void everyComponentIsAKeyOrASection() {
        assertThat(withoutAKey(AgentConfig.class)).containsExactly("entries", "file", "notes");
    }

    private static List<String> withoutAKey(Class<?> section) {
        return Stream.of(section.getRecordComponents())
                .filter(component -> !component.isAnnotationPresent(Setting.class))
                .flatMap(component -> component.getType().isRecord()
                        ? withoutAKey(component.getType()).stream()
                        : Stream.of(component.getName()))
                .toList();
    }

    /** With a value that is not the default, where there is another: two switches of one default could be swapped. */
    @Test
    void everyComponentHasTheValueOfItsKey() throws ReflectiveOperationException {
        ConfigValues defaults = new ConfigFixture(folder).config().values();
        for (ConfigKey key : ConfigKeys.ALL) {
            String text = key.choices().stream()
                    .filter(choice -> !choice.equals(key.sample()))
                    .findFirst()
                    .orElseGet(key::sample);
            Object chosen = key.parse(text).orElseThrow();
            var entries = new HashMap<>(defaults.entries());
            entries.put(key, new ConfigEntry(chosen, new Origin.Default()));
            var config = AgentConfig.of(new ConfigValues(entries), Optional.empty(), List.of());

            assertThat(component(config, "", key.path())).as(key.path()).isEqualTo(key.inRecord(Optional.of(chosen)));
        }
    }

    /** The section {@code nvml} with its components in another order. */
    public record Reordered(
            boolean eventsWhileObserving, boolean events, Duration deadline, Optional<TrayPreset> simulate) {}

    @Test
    void theOrderOfComponentsSwapsNoSettings() {
        ConfigValues values = new ConfigFixture(folder)
                .set("nvml.events=false")
                .set("nvml.eventsWhileObserving=true")
                .set("nvml.deadline=7s")
                .config()
                .values();

        assertThat(values.record("nvml", Reordered.class))
                .isEqualTo(new Reordered(true, false, Duration.ofSeconds(7), Optional.empty()));
        assertThat(values.record("nvml", AgentConfig.NvmlConfig.class))
                .isEqualTo(new AgentConfig.NvmlConfig(Optional.empty(), Duration.ofSeconds(7), false, true));
    }

    private static Object component(Object record, String section, String path) throws ReflectiveOperationException {
        for (RecordComponent component : record.getClass().getRecordComponents()) {
            String name = Optional.ofNullable(component.getAnnotation(Value.class))
                    .map(Value::name)
                    .filter(given -> !given.isEmpty())
                    .orElse(component.getName());
            String at = ConfigKeys.join(section, name);
            if (path.equals(at)) {
                return component.getAccessor().invoke(record);
            } else if (path.startsWith(at + ".")) {
                return component(component.getAccessor().invoke(record), at, path);
            }
        }
        throw new IllegalStateException(record + " has no component for " + path);
    }

    @Test
    void everyKeyReadsTheValueThatItSets() {
        for (ConfigKey key : ConfigKeys.ALL) {
            assertThat(key.textIn(setTo(key).config())).as(key.path()).contains(key.sample());
        }
    }

    private ConfigFixture setTo(ConfigKey key) {
        return new ConfigFixture(folder)
                .set("http.tls.certificate=/etc/imex-agent/tls.crt")
                .set("http.tls.key=/etc/imex-agent/tls.key")
                .set(key.path() + "=" + key.sample());
    }

    @Test
    void everySampleIsAValue() {
        assertThat(ConfigKeys.ALL)
                .allSatisfy(key -> assertThat(key.parse(key.sample())).isPresent());
    }

    /** A default that is no value throws where it is read. */
    @Test
    void everyDefaultIsAValue() {
        assertThat(ConfigKeys.ALL)
                .allSatisfy(key -> key.defaultValue()
                        .ifPresent(value -> assertThat(value)
                                .isEqualTo(key.parse(key.sample()).orElseThrow())));
    }
}
