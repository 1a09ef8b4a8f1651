package io.imexagent.agent.cli;

import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.agent.config.ConfigSources;
import io.imexagent.agent.config.ConfigSources.FlagSetting;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The arguments of a command in their plain form: the daemon and the gate start without the full command line, whose
 * classes cost them tens of milliseconds. Everything else, help and mistakes included, is left to that. Measured alone:
 * the sockets of the daemon listen after 400 ms with it and 543 ms without (docs/performance.md).
 *
 * @param sources what the arguments say about the configuration
 * @param switches those of the command's own switches that are given
 */
record PlainArguments(ConfigSources sources, Set<String> switches) {

    /** Copies the set in. */
    PlainArguments {
        switches = Set.copyOf(switches);
    }

    /** The arguments, where they are the command, its switches, and plain {@code --flag value} or {@code --flag=value}. */
    static Optional<PlainArguments> parse(String command, Set<String> known, List<String> arguments) {
        if (arguments.isEmpty() || !arguments.getFirst().equals(command)) {
            return Optional.empty();
        }
        List<String> flags = configurationFlags();
        Map<String, List<String>> values = new HashMap<>();
        Set<String> switches = new HashSet<>();
        int at = 1;
        while (at < arguments.size()) {
            String argument = arguments.get(at);
            if (known.contains(argument)) {
                if (!switches.add(argument)) {
                    return Optional.empty();
                }
                at++;
                continue;
            }
            int equals = argument.indexOf('=');
            String name = equals < 0 ? argument : argument.substring(0, equals);
            boolean inNext = equals < 0;
            if (!(flags.contains(name) || name.equals(GlobalOptions.CONFIG))
                    || (inNext && at + 1 == arguments.size())) {
                return Optional.empty();
            }
            String value = inNext ? arguments.get(at + 1) : argument.substring(equals + 1);
            List<String> given = values.computeIfAbsent(name, first -> new ArrayList<>());
            if (!isPlain(value) || (!given.isEmpty() && !name.equals(ConfigKeys.SET_FLAG))) {
                return Optional.empty();
            }
            given.add(value);
            at += inNext ? 2 : 1;
        }
        return Optional.of(new PlainArguments(sources(flags, values), switches));
    }

    /** The flags that set configuration values, in the order in which the later beats the earlier. */
    static List<String> configurationFlags() {
        List<String> flags = new ArrayList<>();
        ConfigKeys.ALL.forEach(key -> key.flag().ifPresent(flags::add));
        flags.add(ConfigKeys.FEATURE_GATES_FLAG);
        flags.add(ConfigKeys.SET_FLAG);
        return flags;
    }

    boolean has(String name) {
        return switches.contains(name);
    }

    /** Whether no parser could take the value for anything else. */
    private static boolean isPlain(String value) {
        return !value.isEmpty() && value.charAt(0) != '-';
    }

    private static ConfigSources sources(List<String> flags, Map<String, List<String>> values) {
        List<FlagSetting> settings = new ArrayList<>();
        for (String flag : flags) {
            values.getOrDefault(flag, List.of()).forEach(value -> settings.add(new FlagSetting(flag, value)));
        }
        return new ConfigSources(
                values.getOrDefault(GlobalOptions.CONFIG, List.of()).stream()
                        .findFirst()
                        .map(Path::of),
                settings);
    }
}
