package io.imexagent.imex.provision;

import java.time.Duration;
import java.util.List;

/** One change of the host. */
sealed interface Step {

    /** The unit of nvidia-imex. */
    String UNIT = "nvidia-imex.service";

    /** What it does, as a clause after "would": {@code install package nvidia-imex}. */
    String clause();

    /** What it has done, as a clause. */
    String done();

    /** The command that does it. */
    List<String> command();

    /** How long the command may take. */
    Duration limit();

    /**
     * Installs the package.
     *
     * @param name its name
     * @param ostree whether it is layered on an image, where it waits for the next boot
     */
    record Install(String name, boolean ostree) implements Step {

        @Override
        public String clause() {
            return (ostree ? "layer package " : "install package ") + name;
        }

        @Override
        public String done() {
            return ostree ? "layered package " + name + " for the next boot" : "installed package " + name;
        }

        @Override
        public List<String> command() {
            return ostree
                    ? List.of("rpm-ostree", "install", "--idempotent", "--assumeyes", name)
                    : List.of("dnf", "--assumeyes", "install", name);
        }

        /** A mirror that is slow is no fault; one that hangs is. */
        @Override
        public Duration limit() {
            return Duration.ofMinutes(30);
        }
    }

    /** Lets the unit start at boot, and not now. */
    record Enable() implements Step {

        @Override
        public String clause() {
            return "enable " + UNIT;
        }

        @Override
        public String done() {
            return "enabled " + UNIT + "; it starts at the next boot, where the gate lets it";
        }

        @Override
        public List<String> command() {
            return List.of("systemctl", "enable", UNIT);
        }

        @Override
        public Duration limit() {
            return Duration.ofMinutes(1);
        }
    }
}
