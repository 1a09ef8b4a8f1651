package io.imexagent.agent.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigKey;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.agent.config.Origin;
import io.imexagent.core.text.Cell;
import io.imexagent.core.text.Cell.Style;
import io.imexagent.core.text.Screen;
import io.imexagent.core.text.Table;

/** {@code imex-agent config}. */
final class ConfigCommands {

    private ConfigCommands() {}

    static Command show() {
        var spec = Command.described(
                        "show",
                        "Print the effective values and where each came from.",
                        "With -o yaml as a configuration file, the origins as comments.")
                .addOption(GlobalOptions.output());
        return Command.configured(spec, (invocation, effective) -> {
            invocation.printText(
                    () -> table(effective.config(), invocation.screen()),
                    () -> document(effective.config()),
                    effective::text);
            return ExitCode.OK;
        });
    }

    static Command validate() {
        var spec = Command.described(
                "validate",
                "Print all faults of the configuration.",
                "Ends with " + ExitCode.CONFIGURATION.number() + " where there is one.");
        return Command.configured(spec, (invocation, effective) -> {
            effective.notes().forEach(note -> invocation.out().println("note: " + note));
            invocation
                    .out()
                    .println(effective
                            .file()
                            .map(file -> "the configuration is valid: " + file)
                            .orElse("the configuration is valid; there is no file"));
            return ExitCode.OK;
        });
    }

    private static String table(AgentConfig config, Screen screen) {
        Table table = Table.of("KEY", "VALUE", "ORIGIN");
        for (ConfigKey key : ConfigKeys.ALL) {
            Origin origin = config.values().origin(key);
            table.row(
                    Cell.of(key.path()),
                    key.textIn(config).map(Cell::of).orElseGet(() -> new Cell("(not set)", Style.FAINT)),
                    new Cell(origin.text(), style(origin)));
        }
        return table.text(screen);
    }

    private static Style style(Origin origin) {
        return switch (origin) {
            case Origin.Standard standard -> Style.FAINT;
            case Origin.Found found -> Style.FAINT;
            case Origin.InFile file -> Style.PLAIN;
            case Origin.Environment environment -> Style.PLAIN;
            case Origin.Flag flag -> Style.PLAIN;
            case Origin.Forced forced -> Style.WARNING;
        };
    }

    private static ArrayNode document(AgentConfig config) {
        ArrayNode document = JsonNodeFactory.instance.arrayNode();
        for (ConfigKey key : ConfigKeys.ALL) {
            ObjectNode entry = document.addObject().put("key", key.path());
            key.textIn(config).ifPresent(text -> entry.put("value", text));
            entry.put("origin", config.values().origin(key).text());
        }
        return document;
    }
}
