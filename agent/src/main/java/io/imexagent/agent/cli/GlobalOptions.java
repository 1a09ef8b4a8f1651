package io.imexagent.agent.cli;

import io.imexagent.agent.config.ConfigKey;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.agent.config.ConfigSources;
import io.imexagent.agent.config.PublicName;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.TypeConversionException;

/** Options of several commands. */
final class GlobalOptions {

    static final String CONFIG = "--config";
    static final String DEBUG = "--debug";
    static final String COLOR = "--color";
    static final String HELP = "--help";
    static final String OUTPUT = "--output";

    private GlobalOptions() {}

    /** When output is coloured; {@code AUTO} means on a terminal, unless the environment forbids it. */
    enum Colours {
        AUTO,
        ALWAYS,
        NEVER
    }

    /** The format in which a command prints its result: for people, for programs, for both. */
    enum Format {
        TABLE,
        JSON,
        YAML
    }

    /**
     * Adds the options of every command, which may precede or follow its name. The help of the command lists them below
     * its own options, and the flags of the configuration if {@code listingFlags}.
     */
    static void addTo(CommandSpec spec, boolean listingFlags) {
        List<OptionSpec> own = ownOptions(spec);
        spec.addOption(value(
                CONFIG,
                Path.class,
                "FILE",
                "The configuration file. Default: IMEX_AGENT_CONFIG, or else " + ConfigKeys.DEFAULT_FILE + "."));
        spec.addOption(toggle("With a failure, print where in the program it happened.", DEBUG));
        spec.addOption(
                choice(Colours.class, "WHEN", "When to use colours: ${COMPLETION-CANDIDATES}. Default: auto.", COLOR));
        spec.addOption(flag("Print this help.", "-h", HELP).usageHelp(true).build());
        spec.usageMessage().sectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, help -> {
            List<OptionSpec> everywhere = ownOptions(spec).stream()
                    .filter(option -> !own.contains(option))
                    .toList();
            return help.optionListExcludingGroups(own)
                    + (own.isEmpty() ? "" : help.createHeading("%nOptions of every command:%n"))
                    + help.optionListExcludingGroups(everywhere)
                    + (listingFlags ? help.optionListGroupSections() : "");
        });
    }

    /** The options that are not flags of the configuration. */
    private static List<OptionSpec> ownOptions(CommandSpec spec) {
        return spec.options().stream().filter(option -> option.group() == null).toList();
    }

    static OptionSpec output() {
        return choice(
                Format.class,
                "FORMAT",
                "The form of the output: ${COMPLETION-CANDIDATES}. Default: table.",
                "-o",
                OUTPUT);
    }

    /** An option that takes one of the constants, in lower case; picocli itself would not change their case. */
    static <T extends Enum<T>> OptionSpec choice(Class<T> type, String label, String description, String... names) {
        Map<String, T> words = new LinkedHashMap<>();
        EnumSet.allOf(type).forEach(value -> words.put(value.name().toLowerCase(Locale.ROOT), value));
        ITypeConverter<T> converter = text -> Optional.ofNullable(words.get(text))
                .orElseThrow(() -> new TypeConversionException(
                        "expected one of " + String.join(", ", words.keySet()) + " but was '" + text + "'"));
        return OptionSpec.builder(names)
                .type(type)
                .converters(converter)
                .completionCandidates(words.keySet())
                .paramLabel(label)
                .description(description)
                .build();
    }

    static OptionSpec value(String name, Class<?> type, String label, String description) {
        return OptionSpec.builder(name)
                .type(type)
                .paramLabel(label)
                .description(description)
                .build();
    }

    /** An option whose value the converter parses; it throws {@link TypeConversionException} for a wrong value. */
    static <T> OptionSpec value(
            String name, Class<T> type, ITypeConverter<T> converter, String label, String description) {
        return OptionSpec.builder(name)
                .type(type)
                .converters(converter)
                .paramLabel(label)
                .description(description)
                .build();
    }

    static OptionSpec text(String name, String label, String description) {
        return value(name, String.class, label, description);
    }

    /** An option whose text must not be empty. */
    static OptionSpec filled(String name, String label, String description) {
        return value(name, String.class, GlobalOptions::given, label, description);
    }

    /** An option that names a file. */
    static OptionSpec file(String name, String label, String description) {
        return value(name, Path.class, text -> Path.of(given(text)), label, description);
    }

    /** Returns the text of an option that must not be empty. */
    static String given(String text) {
        if (text.isBlank()) {
            throw new TypeConversionException("the value is empty");
        }
        return text;
    }

    static PositionalParamSpec argument(String label, String description) {
        return PositionalParamSpec.builder()
                .index("0")
                .type(String.class)
                .paramLabel(label)
                .required(true)
                .description(description)
                .build();
    }

    static OptionSpec toggle(String description, String... names) {
        return flag(description, names).build();
    }

    /** An option without a value. */
    static OptionSpec.Builder flag(String description, String... names) {
        return OptionSpec.builder(names).type(boolean.class).arity("0").description(description);
    }

    /** Adds the flags that set configuration values. The help of a command does not list them, but names the command whose help does. */
    static void configurable(CommandSpec spec) {
        withFlags(spec)
                .usageMessage()
                .footer("%nConfiguration flags, which this command takes too: imex-agent config --help");
    }

    static CommandSpec withFlags(CommandSpec spec) {
        var group = ArgGroupSpec.builder()
                .validate(false)
                .heading("%nConfiguration, beating the environment and the file:%n");
        for (ConfigKey key : ConfigKeys.ALL) {
            // A command may have an option of this name with another meaning.
            key.flag().filter(flag -> spec.findOption(flag) == null).ifPresent(flag -> group.addArg(option(flag, key)));
        }
        for (PublicName name : PublicName.values()) {
            group.addArg(text(name.flag(), name.variable(), name.meaning()));
        }
        group.addArg(
                text(ConfigKeys.FEATURE_GATES_FLAG, "GATE=BOOL,…", "Feature gates, such as HostManagedIMEX=true."));
        group.addArg(OptionSpec.builder(ConfigKeys.SET_FLAG)
                .type(String[].class)
                .auxiliaryTypes(String.class)
                .arity("1")
                .paramLabel("KEY=VALUE")
                .description("Any value, such as inventory.interval=10s; may be given several times.")
                .build());
        spec.usageMessage().abbreviateSynopsis(true);
        return spec.addArgGroup(group.build());
    }

    /** The option of a key. Its label must be unique, since the completion script names the choices after it. */
    private static OptionSpec option(String flag, ConfigKey key) {
        return OptionSpec.builder(flag)
                .type(String.class)
                .paramLabel(key.placeholder())
                .completionCandidates(key.choices())
                .description(plain(key.meaning() + " Default: " + key.defaultText() + "."))
                .build();
    }

    /** The text without Markdown, with escapes for picocli's format characters. */
    private static String plain(String text) {
        return text.replace('`', '\'').replace("%", "%%");
    }

    static ConfigSources sources(Invocation invocation) {
        Map<String, List<String>> flags = ConfigKeys.flags().stream()
                .filter(invocation::isFlag)
                .collect(Collectors.toMap(Function.identity(), invocation::options));
        KubeconfigChoice.flag(invocation).ifPresent(file -> flags.put(KubeconfigChoice.KEY_FLAG, List.of(file)));
        return new ConfigSources(invocation.option(CONFIG, Path.class), flags);
    }
}
