package io.imexagent.imex.fake;

import io.imexagent.imex.probe.ChannelNodes;
import io.imexagent.imex.probe.DeviceStat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A host's device nodes of channels: empty files that are shown as devices, since only root makes real ones. */
public final class FakeChannelNodes {

    private static final int DEVICE = 0020000;
    private static final int FOLDER = 0040000;

    private final Path root;
    private final Map<Path, DeviceStat.Attributes> files = new ConcurrentHashMap<>();

    /** A host below this root that has none. */
    public FakeChannelNodes(Path root) {
        this.root = root;
    }

    /** Makes a node, in a folder that all may search. */
    public FakeChannelNodes make(int channel, int major, int permissions) {
        return put(
                        "channel" + channel,
                        DEVICE | permissions,
                        ((long) major << 8) | (channel & 0xff) | ((channel & ~0xffL) << 12))
                .folder(0755);
    }

    /** Puts a file where a node is expected. */
    public FakeChannelNodes file(int channel) {
        return put("channel" + channel, 0100666, 0).folder(0755);
    }

    /** Gives the folder these permissions. */
    public FakeChannelNodes folder(int permissions) {
        files.put(root.resolve(ChannelNodes.FOLDER), new DeviceStat.Attributes(FOLDER | permissions, 0));
        return this;
    }

    /** The nodes, read through it. */
    public ChannelNodes nodes() {
        return new ChannelNodes(root, path -> {
            DeviceStat.Attributes found = files.get(path);
            if (found == null) {
                throw new NoSuchFileException(path.toString());
            }
            return found;
        });
    }

    private FakeChannelNodes put(String name, int mode, long device) {
        try {
            Path folder = Files.createDirectories(root.resolve(ChannelNodes.FOLDER));
            Path file = folder.resolve(name);
            Files.write(file, new byte[0]);
            files.put(file, new DeviceStat.Attributes(mode, device));
            return this;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
