package io.imexagent.agent.config;

import io.imexagent.core.setting.NamedChoice;
import io.imexagent.core.setting.Setting;
import io.imexagent.core.setting.Value;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;

/**
 * A key of the configuration, made from the record component with its value: its properties for the file, the
 * environment, the command line, the reference and {@code config show}, and the grammar of the value's text. {@link
 * ConfigKeys} has all keys.
 */
public final class ConfigKey {

    private final String path;
    private final String meaning;
    private final Value facts;
    private final Class<?> component;

    /** The type of one value, without a surrounding {@code Optional}. */
    private final Class<?> type;

    final ValueKind kind;

    /** Creates the key of an annotated component; the section is the path of its record, empty for the whole file. */
    ConfigKey(String section, RecordComponent component) {
        this.meaning = component.getAnnotation(Setting.class).value();
        this.facts = Objects.requireNonNull(component.getAnnotation(Value.class), component + " has no value");
        this.path = ConfigKeys.join(section, facts.name().isEmpty() ? component.getName() : facts.name());
        this.component = component.getType();
        this.type = this.component == Optional.class
                ? (Class<?>) ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[0]
                : this.component;
        this.kind = ValueKind.of(type == OptionalInt.class ? int.class : type);
    }

    /** The path of the key in the file, with dots between sections: {@code http.tls.key}. */
    public String path() {
        return path;
    }

    public String meaning() {
        return meaning;
    }

    /** The key's own flag, with hyphens; a key without a flag is set by {@code --set}. */
    public Optional<String> flag() {
        return facts.flag().isEmpty() ? Optional.empty() : Optional.of(facts.flag());
    }

    /** Whether a change takes effect on SIGHUP; otherwise it waits for a restart. */
    public boolean reloadable() {
        return facts.reloadable();
    }

    public String environmentVariable() {
        return EnvironmentLayer.of(path);
    }

    /** The placeholder of the value in usage texts: the last part of the path in upper case, {@code DRIVER_ROOT}. */
    public String placeholder() {
        return EnvironmentLayer.upperSnake(name());
    }

    /** Describes the value of a key that is not set. */
    public String defaultText() {
        boolean lacks = component == Optional.class || component == OptionalInt.class || component == List.class;
        return facts.preset().isEmpty() ? (lacks ? "none, " : "") + facts.unset() : facts.preset();
    }

    /** The default; empty if there is none, or if it is determined at each start. */
    Optional<Object> defaultValue() {
        return facts.preset().isEmpty()
                ? Optional.empty()
                : Optional.of(parse(facts.preset()).orElseThrow());
    }

    /** The default as text, or an example if there is none. */
    String sample() {
        return facts.preset().isEmpty() ? facts.example()[0] : facts.preset();
    }

    /** The value in the configuration as text; empty if the key has none. */
    public Optional<String> textIn(AgentConfig config) {
        return config.values().find(this).map(this::print);
    }

    /** The value of the record component for this value of the key. */
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

    String name() {
        return path.substring(path.lastIndexOf('.') + 1);
    }

    String section() {
        return path.substring(0, path.lastIndexOf('.'));
    }

    Optional<Object> parse(String text) {
        return switch (kind) {
            case SWITCH -> choices().contains(text) ? Optional.of(text.equals("true")) : Optional.empty();
            case NUMBER -> number(text);
            case DURATION -> DurationText.parse(text).filter(this::fits).map(span -> span);
            case PATH -> absolute(text);
            case CHOICE ->
                Arrays.stream(type.getEnumConstants())
                        .filter(constant -> print(constant).equals(text))
                        .findFirst()
                        .map(constant -> constant);
            case LIST -> {
                List<String> entries = Arrays.stream(text.split(facts.separator(), -1))
                        .map(String::strip)
                        .distinct()
                        .toList();
                boolean valid = entries.stream().allMatch(entry -> !entry.isEmpty() && isValid(entry));
                yield valid ? Optional.of(entries) : Optional.empty();
            }
            case TEXT -> isValid(text) ? Optional.of(text) : Optional.empty();
        };
    }

    String print(Object value) {
        return switch (value) {
            case Duration span -> DurationText.print(span);
            case NamedChoice word -> word.text();
            case Enum<?> constant -> constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
            case List<?> entries ->
                String.join(
                        facts.separator(),
                        entries.stream().map(Object::toString).toList());
            default -> value.toString();
        };
    }

    /** Describes valid values, as a noun phrase with range, unit and example. */
    public String expected() {
        String example = facts.example().length == 0 ? facts.preset() : print(List.of(facts.example()));
        return switch (kind) {
            case SWITCH -> "true or false";
            case NUMBER -> facts.noun() + " from " + least() + " to " + most();
            case DURATION ->
                "a duration " + (facts.wholeSeconds() ? "in whole seconds " : "") + "from " + least() + " to " + most()
                        + ", such as 5s";
            case PATH -> "an absolute path, such as " + example;
            case CHOICE -> "one of " + String.join(", ", choices());
            case LIST ->
                facts.noun() + ", separated by " + (facts.separator().equals(";") ? "semicolons" : "commas")
                        + ", such as " + example;
            case TEXT -> facts.noun();
        };
    }

    /** The possible values; empty if there are too many to list. */
    public List<String> choices() {
        return switch (kind) {
            case SWITCH -> List.of("true", "false");
            case CHOICE ->
                Arrays.stream(type.getEnumConstants()).map(this::print).toList();
            case NUMBER, DURATION, PATH, LIST, TEXT -> List.of();
        };
    }

    Optional<String> separator() {
        return kind == ValueKind.LIST ? Optional.of(facts.separator()) : Optional.empty();
    }

    private Optional<Object> number(String text) {
        try {
            int number = Integer.parseInt(text);
            boolean fits = number >= Integer.parseInt(least()) && number <= Integer.parseInt(most());
            return fits && text.equals(Integer.toString(number)) ? Optional.of(number) : Optional.empty();
        } catch (NumberFormatException noNumber) {
            return Optional.empty();
        }
    }

    private boolean fits(Duration span) {
        return span.compareTo(DurationText.parse(least()).orElseThrow()) >= 0
                && span.compareTo(DurationText.parse(most()).orElseThrow()) <= 0
                && (!facts.wholeSeconds() || span.toMillisPart() == 0);
    }

    private static Optional<Object> absolute(String text) {
        try {
            return text.startsWith("/") ? Optional.of(Path.of(text)) : Optional.empty();
        } catch (InvalidPathException noPath) {
            return Optional.empty();
        }
    }

    private boolean isValid(String text) {
        if (!facts.matches().isEmpty() && !text.matches(facts.matches())) {
            return false;
        }
        return Arrays.stream(facts.form()).allMatch(form -> fits(form, text));
    }

    private static boolean fits(Class<? extends Predicate<String>> form, String text) {
        try {
            var constructor = form.getDeclaredConstructor();
            constructor.setAccessible(true);
            return constructor.newInstance().test(text);
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(form + " cannot be made", impossible);
        }
    }

    String least() {
        return facts.range().substring(0, facts.range().indexOf(".."));
    }

    String most() {
        return facts.range().substring(facts.range().indexOf("..") + 2);
    }

    @Override
    public String toString() {
        return path;
    }

    enum ValueKind {
        /** Only the texts true and false: a quoted {@code "false"} is false, and {@code yes} is a fault. */
        SWITCH(boolean.class),
        NUMBER(int.class),
        DURATION(Duration.class),
        PATH(Path.class),
        /** A constant of an enum. */
        CHOICE(Enum.class),
        /** Several texts with a separator between them, without repetition; a file may have a list instead. */
        LIST(List.class),
        TEXT(String.class);

        private final Class<?> type;

        ValueKind(Class<?> type) {
            this.type = type;
        }

        static ValueKind of(Class<?> type) {
            for (ValueKind kind : values()) {
                if (kind.type.isAssignableFrom(type)) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("no setting can be a " + type);
        }
    }
}
