package io.imexagent.e2e.demo;

import java.io.IOException;
import java.util.List;

/** The demo as a program. */
public final class DemoMain {

    private DemoMain() {}

    /** Tells the story; exit code 0 where it ends well, 1 where it does not, 2 for wrong flags. */
    public static void main(String[] arguments) throws InterruptedException {
        DemoOptions options;
        try {
            options = DemoOptions.parse(List.of(arguments));
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage() + "\n" + DemoOptions.USAGE);
            System.exit(2);
            return;
        }
        Narrator narrator = new Narrator(System.out, options.color(), System::nanoTime);
        System.exit(tell(options, narrator) ? 0 : 1);
    }

    private static boolean tell(DemoOptions options, Narrator narrator) throws InterruptedException {
        try (Demo demo = Demo.prepare(options, narrator)) {
            demo.tell();
            return true;
        } catch (IOException | RuntimeException e) {
            narrator.failure(String.valueOf(e.getMessage()));
            return false;
        }
    }
}
