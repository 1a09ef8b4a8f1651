package io.imexagent.e2e.link;

import java.io.IOException;
import java.nio.file.Path;

/** Links the agent's jars, as a program: its one argument is their folder. */
public final class LinkMain {

    private LinkMain() {}

    /** Links; exit code 0 where that went well, 1 where not, 2 for wrong arguments. */
    public static void main(String[] arguments) {
        if (arguments.length != 1) {
            System.err.println("usage: link <folder of jars>");
            System.exit(2);
            return;
        }
        try {
            int changed = ImageLinker.link(Path.of(arguments[0]));
            System.err.println("linked " + changed + " classes in " + arguments[0]);
        } catch (IOException e) {
            System.err.println("the jars were not linked: " + e);
            System.exit(1);
        }
    }
}
