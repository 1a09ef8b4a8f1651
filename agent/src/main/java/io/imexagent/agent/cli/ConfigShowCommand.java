package io.imexagent.agent.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.agent.config.ConfigKey;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.agent.config.EffectiveConfig;
import io.imexagent.agent.config.EffectiveFile;
import io.imexagent.agent.config.Origin;
import io.imexagent.core.text.Cell;
import io.imexagent.core.text.Style;
import io.imexagent.core.text.Table;
import picocli.CommandLine.Model.CommandSpec;

/** {@code imex-agent config show}. */
final class ConfigShowCommand implements Command {

    private final Configured configured;

    ConfigShowCommand(Configured configured) {
        this.configured = configured;
    }

    @Override
    public CommandSpec spec() {
        CommandSpec spec = CommandSpec.create().name("show").addOption(GlobalOptions.output());
        spec.usageMessage()
                .description(
                        "Print the effective values and where each came from.",
                        "With -o yaml as a configuration file, the origins as comments.");
        return GlobalOptions.configurable(spec);
    }

    @Override
    public ExitCode run(Invocation invocation) throws Exception {
        return configured.with(invocation, effective -> {
            invocation.printText(
                    () -> table(effective, invocation.colours()),
                    () -> document(effective),
                    () -> EffectiveFile.text(effective));
            return ExitCode.OK;
        });
    }

    private static String table(EffectiveConfig effective, boolean colours) {
        Table table = Table.of("KEY", "VALUE", "ORIGIN");
        for (ConfigKey<?> key : ConfigKeys.ALL) {
            Origin origin = effective.config().origin(key);
            table.row(
                    Cell.of(key.path()),
                    key.textIn(effective.config()).map(Cell::of).orElseGet(() -> new Cell("(not set)", Style.FAINT)),
                    new Cell(origin.text(), origin(origin)));
        }
        return table.text(colours);
    }

    private static Style origin(Origin origin) {
        return switch (origin) {
            case Origin.Standard standard -> Style.FAINT;
            case Origin.InFile file -> Style.PLAIN;
            case Origin.Environment environment -> Style.PLAIN;
            case Origin.Flag flag -> Style.PLAIN;
            case Origin.Forced forced -> Style.WARNING;
        };
    }

    private static ArrayNode document(EffectiveConfig effective) {
        ArrayNode document = JsonNodeFactory.instance.arrayNode();
        for (ConfigKey<?> key : ConfigKeys.ALL) {
            ObjectNode entry = document.addObject().put("key", key.path());
            key.textIn(effective.config()).ifPresent(text -> entry.put("value", text));
            entry.put("origin", effective.config().origin(key).text());
        }
        return document;
    }
}
