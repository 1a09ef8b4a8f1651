package io.imexagent.rdma.probe;

import io.imexagent.core.claim.ClaimEdits.DeviceNodeEdits;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The files of a host, by paths below its root without a leading slash: {@code sys/class/infiniband}. Errors of the
 * kernel are thrown; a {@link java.nio.file.NoSuchFileException} means that the file is missing.
 */
public interface HostFiles {

    /** The file's text, one character per byte. */
    String read(String path) throws IOException;

    List<String> list(String path) throws IOException;

    /** The target of the link, unresolved. */
    String target(String path) throws IOException;

    /** Resolves all links of the path to a path below the root; fails for a link that leads out of the root. */
    String resolve(String path) throws IOException;

    /**
     * The output of a program of the host, run for two seconds at most; empty if it fails, and for the files of another
     * host.
     */
    default Optional<String> printed(List<String> question) {
        return Optional.empty();
    }

    /** The names in the folder, sorted; none if it is missing or cannot be listed. */
    default List<String> names(String path) {
        try {
            return list(path).stream().sorted().toList();
        } catch (IOException unreadable) {
            return List.of();
        }
    }

    default String value(String path) throws IOException {
        return read(path).strip();
    }

    /** The last part of the link's target; empty if there is no such link. */
    default Optional<String> targetName(String path) {
        try {
            String target = target(path);
            return Optional.of(target.substring(target.lastIndexOf('/') + 1));
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }

    /** The device node in {@code /dev/infiniband} with the folder's name; empty if the folder has no device number. */
    default Optional<DeviceNodeEdits> node(String folder) {
        return optional(folder + "/dev")
                .flatMap(number -> SysfsNumbers.node(folder.substring(folder.lastIndexOf('/') + 1), number));
    }

    /** The readable device nodes of each RDMA device, from the folders in this one. */
    default Map<String, List<DeviceNodeEdits>> nodes(String folder) {
        Map<String, List<DeviceNodeEdits>> found = new HashMap<>();
        for (String name : names(folder)) {
            String place = folder + "/" + name;
            optional(place + "/ibdev")
                    .ifPresent(device -> node(place)
                            .ifPresent(node -> found.computeIfAbsent(device, first -> new ArrayList<>())
                                    .add(node)));
        }
        return found;
    }

    /** The decimal number in the file; empty if the file cannot be read or has other content. */
    default Optional<Integer> number(String path) {
        return optional(path).flatMap(SysfsNumbers::decimal);
    }

    /** The file's text without surrounding blanks; empty if it cannot be read or is blank. */
    default Optional<String> optional(String path) {
        try {
            return Optional.of(value(path)).filter(text -> !text.isEmpty());
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }

    default Optional<String> bondOf(String netdev) {
        return targetName("sys/class/net/" + netdev + "/master").filter(this::isBond);
    }

    default boolean isBond(String netdev) {
        return !names("sys/class/net/" + netdev + "/bonding").isEmpty();
    }
}
