package io.imexagent.agent.config;

import io.imexagent.core.setting.Setting;
import io.imexagent.core.setting.Value;
import java.lang.annotation.Annotation;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * One key of the configuration: what the file, the environment, the command line, the reference and {@code config show}
 * know of the component of a record that has its value. All keys stand in {@link ConfigKeys}.
 */
public final class ConfigKey {

    private final String path;
    private final String meaning;
    private final Value facts;
    private final Class<?> component;
    private final ValueType type;

    /** The key of an annotated component; the section is the path of its record, empty for the whole file. */
    ConfigKey(String section, RecordComponent component) {
        this.meaning = noted(component, Setting.class).value();
        this.facts = noted(component, Value.class);
        this.path = KeySpace.join(section, facts.name().isEmpty() ? component.getName() : facts.name());
        this.component = component.getType();
        this.type = new ValueType(
                this.component == Optional.class
                        ? (Class<?>) ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[0]
                        : this.component,
                facts);
    }

    private static <A extends Annotation> A noted(RecordComponent component, Class<A> annotation) {
        return Optional.ofNullable(component.getAnnotation(annotation))
                .orElseThrow(() -> new IllegalStateException(component + " has no " + annotation));
    }

    /** Where the key stands in the file, its sections joined by dots: {@code http.tls.key}. */
    public String path() {
        return path;
    }

    /** What the value does, in a sentence. */
    public String meaning() {
        return meaning;
    }

    /** What its value can be. */
    ValueType type() {
        return type;
    }

    /** The flag of its own, with its hyphens; a key without one is set by {@code --set}. */
    public Optional<String> flag() {
        return facts.flag().isEmpty() ? Optional.empty() : Optional.of(facts.flag());
    }

    /** Whether a change takes effect on SIGHUP; otherwise it waits for a restart. */
    public boolean reloadable() {
        return facts.reloadable();
    }

    /** The environment variable that sets it. */
    public String environmentVariable() {
        return EnvironmentLayer.of(path);
    }

    /** What stands for the value in usage texts: the last part of the path, upper case, {@code DRIVER_ROOT}. */
    public String placeholder() {
        return EnvironmentLayer.upperSnake(name());
    }

    /** What the value must be, as a noun phrase with range, unit and example. */
    public String expected() {
        return type.expected();
    }

    /** The values to choose from; empty where there are too many to list. */
    public List<String> choices() {
        return type.choices();
    }

    /** What holds where nothing is set, in words. */
    public String standardText() {
        boolean lacks = component == Optional.class || component == OptionalInt.class || component == List.class;
        return facts.preset().isEmpty() ? (lacks ? "none, " : "") + facts.unset() : facts.preset();
    }

    /** The default; empty where there is none, or where it is found out at each start. */
    Optional<Object> standard() {
        return facts.preset().isEmpty() ? Optional.empty() : Optional.of(type.trusted(facts.preset()));
    }

    /** The default as text, or an example where there is none. */
    String sample() {
        return facts.preset().isEmpty() ? facts.example()[0] : facts.preset();
    }

    /** The value in the configuration, as text; empty where it has none. */
    public Optional<String> textIn(AgentConfig config) {
        return config.values().find(this).map(type::print);
    }

    /** What the component of the record is where the key has this value. */
    Object inRecord(Optional<Object> value) {
        if (component == Optional.class) {
            return value;
        } else if (component == OptionalInt.class) {
            return value.isPresent() ? OptionalInt.of((Integer) value.get()) : OptionalInt.empty();
        } else if (component == List.class) {
            return value.orElse(List.of());
        }
        return value.orElseThrow(() -> new IllegalStateException(path + " has no value"));
    }

    /** The last part of the path. */
    String name() {
        return path.substring(path.lastIndexOf('.') + 1);
    }

    /** The path without its last part. */
    String section() {
        return path.substring(0, path.lastIndexOf('.'));
    }

    @Override
    public String toString() {
        return path;
    }
}
