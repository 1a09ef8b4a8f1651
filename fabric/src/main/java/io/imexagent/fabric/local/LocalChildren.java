package io.imexagent.fabric.local;

import io.imexagent.fabric.child.ChildAnswer;
import io.imexagent.fabric.child.ChildAnswer.ChildSucceeded;
import io.imexagent.fabric.child.ChildDeadlines;
import io.imexagent.fabric.child.ChildLauncher;
import io.imexagent.fabric.child.FabricChild;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Function;

/**
 * The children of a local test: an exporter and an importer on each channel, and an importer without one. Each
 * initialises libcuda once, for all GPUs; a child that died is replaced at its next use.
 */
public final class LocalChildren implements AutoCloseable {

    private final Function<OptionalInt, ChildLauncher> launchers;
    private final Path driverRoot;
    private final ChildDeadlines deadlines;
    private final Map<Role, ChildAnswer<FabricChild>> children = new HashMap<>();
    private final List<FabricChild> launched = new ArrayList<>();

    private record Role(boolean exports, OptionalInt channel) {}

    /** The children of these launchers, which take a channel, or empty for a child without one. */
    public LocalChildren(Function<OptionalInt, ChildLauncher> launchers, Path driverRoot, ChildDeadlines deadlines) {
        this.launchers = launchers;
        this.driverRoot = driverRoot;
        this.deadlines = deadlines;
    }

    /**
     * Returns the exporter on a channel with libcuda open, or why libcuda cannot be opened; that is tried only once.
     */
    ChildAnswer<FabricChild> exporter(int channel) throws IOException, InterruptedException {
        return child(new Role(true, OptionalInt.of(channel)));
    }

    ChildAnswer<FabricChild> importer(OptionalInt channel) throws IOException, InterruptedException {
        return child(new Role(false, channel));
    }

    private ChildAnswer<FabricChild> child(Role role) throws IOException, InterruptedException {
        ChildAnswer<FabricChild> known = children.get(role);
        if (known != null && !(known instanceof ChildSucceeded<FabricChild>(FabricChild child) && !child.alive())) {
            return known;
        }
        FabricChild child = FabricChild.launch(launchers.apply(role.channel()), deadlines);
        launched.add(child);
        ChildAnswer<FabricChild> opened = child.open(driverRoot).then(gpus -> new ChildSucceeded<>(child));
        children.put(role, opened);
        return opened;
    }

    /** Kills all children. */
    @Override
    public void close() {
        launched.forEach(FabricChild::close);
    }
}
