package io.imexagent.e2e.packaging;

import io.imexagent.agent.cli.Environment;
import io.imexagent.agent.runtime.Main;
import io.imexagent.dra.claim.EffectListener;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The part of laying out an installed agent that is more than copying; {@code packaging/rpm/stage} starts it. */
public final class StageMain {

    private static final String USAGE =
            "usage: StageMain jars <architecture> <from> <jars> <native parts> | bill <bom.json> <release> <to>"
                    + " | manual <directory>";

    private StageMain() {}

    /** Does one of the three; exit code 1 where it could not, 2 for wrong arguments. */
    public static void main(String[] arguments) {
        try {
            if (arguments.length == 5 && arguments[0].equals("jars")) {
                var natives = new NativeParts(Architecture.of(arguments[1]));
                System.err.println("native parts: "
                        + new StoredJars(natives)
                                .rewrite(Path.of(arguments[2]), Path.of(arguments[3]), Path.of(arguments[4])));
            } else if (arguments.length == 4 && arguments[0].equals("bill")) {
                Files.write(
                        Path.of(arguments[3]), MaterialsBill.withRuntime(Path.of(arguments[1]), Path.of(arguments[2])));
            } else if (arguments.length == 2 && arguments[0].equals("manual")) {
                ManualPage.write(
                        Main.tool(Environment.ofProcess(), EffectListener.NONE).commands(), Path.of(arguments[1]));
            } else {
                System.err.println(USAGE);
                System.exit(2);
            }
        } catch (IOException | IllegalArgumentException e) {
            System.err.println("the agent was not laid out: " + e.getMessage());
            System.exit(1);
        }
    }
}
