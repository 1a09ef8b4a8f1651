package io.imexagent.rdma.rails;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The OCI hook that sets up ARP for interfaces that moved into a container. Without {@code nsenter} it would fail every
 * container.
 *
 * @param folders where it looks for programs; a runtime starts it without an environment, and a shell searches these then
 */
public record ArpHook(Path program, List<Path> folders) {

    /** As the package installs it. */
    public static final ArpHook INSTALLED = new ArpHook(
            Path.of("/usr/libexec/imex-agent/rail-arp-hook"),
            List.of(Path.of("/usr/sbin"), Path.of("/usr/bin"), Path.of("/sbin"), Path.of("/bin")));

    public ArpHook {
        folders = List.copyOf(folders);
    }

    /** Why it would not work, with the remedy; empty where it would. */
    Optional<String> fault() {
        if (!Files.isExecutable(program)) {
            return Optional.of(
                    program + " is missing, which sets up ARP for an interface that moved; install the package"
                            + " imex-agent on the host");
        }
        return folders.stream().anyMatch(folder -> Files.isExecutable(folder.resolve("nsenter")))
                ? Optional.empty()
                : Optional.of(
                        "the program nsenter is missing, which " + program + " needs to set up ARP for an interface"
                                + " that moved; install util-linux-core (Debian: util-linux)");
    }
}
