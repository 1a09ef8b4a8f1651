package io.imexagent.imex.probe;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.inventory.ChannelMajor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The host's own device nodes of IMEX channels, below a root, in their current state. Containers get device nodes that
 * their runtime makes, except in a user namespace: there mknod(2) is denied, so runc and crun bind the host's node at
 * the same path, and fail if there is none. The owner of that node is not among the container's users.
 */
public record ChannelNodes(Path root, DeviceStat stat) {

    /** The folder of {@link ChannelId#path}, below the root. */
    public static final Path FOLDER = Path.of("dev/nvidia-caps-imex-channels");

    /** Read and write permission for all users, since CUDA opens a channel for both. */
    private static final int OPEN_TO_ALL = 0006;

    private static final int SEARCHED_BY_ALL = 0001;

    /** Why a container in a user namespace cannot open the channel; empty if it can, or if that is unknown. */
    public Optional<String> closed(ChannelId channel, ChannelMajor known) {
        try {
            DeviceStat.Attributes node = stat.of(root.resolve(channel.path().substring(1)));
            if (!node.isCharacterDevice()) {
                return Optional.of("the host's " + channel.path() + " is not a character device");
            }
            if (known instanceof ChannelMajor.RegisteredMajor(int major)
                    && (node.major() != major || node.minor() != channel.number())) {
                return Optional.of("the host's " + channel.path() + " is stale: it is " + node.major() + ":"
                        + node.minor() + ", the kernel says " + major + ":" + channel.number());
            }
            if ((node.permissions() & OPEN_TO_ALL) != OPEN_TO_ALL) {
                return Optional.of("the host's " + channel.path() + " has mode 0"
                        + Integer.toOctalString(node.permissions()) + ", which lets no other user in");
            }
            return (stat.of(root.resolve(FOLDER)).permissions() & SEARCHED_BY_ALL) != 0
                    ? Optional.empty()
                    : Optional.of("the host's folder /" + FOLDER + " lets no other user in");
        } catch (NoSuchFileException none) {
            return Optional.of("the host has no " + channel.path());
        } catch (IOException cannotTell) {
            return Optional.empty();
        }
    }

    /** Whether a container in a user namespace can open the host's node of any channel 1 to {@code channels} − 1. */
    public boolean anyOpen(int channels, ChannelMajor known) throws IOException {
        try (Stream<Path> nodes = Files.list(root.resolve(FOLDER))) {
            return nodes.map(node -> String.valueOf(node.getFileName()))
                    .filter(name -> name.matches("channel(0|[1-9][0-9]{0,5})"))
                    .map(name -> new ChannelId(Integer.parseInt(name.substring("channel".length()))))
                    .filter(channel -> channel.number() > 0 && channel.number() < channels)
                    .anyMatch(channel -> closed(channel, known).isEmpty());
        } catch (NoSuchFileException none) {
            return false;
        }
    }
}
