package io.imexagent.e2e.machine;

import java.io.IOException;
import java.nio.file.Path;

/** Machines to begin a scenario with. */
final class Machines {

    /** The system property that names the folder of the Debian; e2e/bin/e2e-host makes it and sets this. */
    static final String PROPERTY = "imexagent.debian";

    private Machines() {}

    /** A machine without the package, powered off. */
    static SystemdMachine bare() throws IOException, InterruptedException {
        String debian = System.getProperty(PROPERTY, "");
        if (debian.isEmpty()) {
            throw new IllegalStateException("-D" + PROPERTY + " is not set; run these tests by e2e/bin/e2e-host");
        }
        return SystemdMachine.over(Path.of(debian));
    }

    /** A machine with the package, as an image that was built with it: installed while it is off. */
    static SystemdMachine installed() throws IOException, InterruptedException {
        SystemdMachine machine = bare();
        Packages packages = Packages.find().into(machine);
        Commands.Result result = machine.offline(
                "rpm",
                "--force-debian",
                "--install",
                packages.base().toString(),
                packages.agent().toString());
        if (result.exitCode() != 0) {
            machine.close();
            throw new AssertionError("the package does not install: " + result.output());
        }
        return machine;
    }
}
