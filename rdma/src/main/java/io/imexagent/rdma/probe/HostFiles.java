package io.imexagent.rdma.probe;

import io.imexagent.core.claim.ClaimEdits.DeviceNodeEdits;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The files of a host, by paths below its root without a slash at their begin: {@code sys/class/infiniband}. What the
 * kernel answers with an error throws; {@link java.nio.file.NoSuchFileException} says that the thing is not there.
 */
public interface HostFiles {

    /** The file's text, one character per byte. */
    String read(String path) throws IOException;

    List<String> list(String path) throws IOException;

    /** What the link says, unresolved. */
    String target(String path) throws IOException;

    /** Where the path leads when all links are followed, again below the root; a link out of the root throws. */
    String resolve(String path) throws IOException;

    /** What a program of the host prints, within two seconds; empty where it fails, and for another host's files. */
    default Optional<String> printed(List<String> question) {
        return Optional.empty();
    }

    /** The names in the folder, sorted; none where it is missing or cannot be listed. */
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

    /** The last part of what the link says, or empty where there is no such link. */
    default Optional<String> targetName(String path) {
        try {
            String target = target(path);
            return Optional.of(target.substring(target.lastIndexOf('/') + 1));
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }

    /** The node below {@code /dev/infiniband} of this folder's name; empty where the folder tells no number. */
    default Optional<DeviceNodeEdits> node(String folder) {
        return optional(folder + "/dev")
                .flatMap(number -> SysfsNumbers.node(folder.substring(folder.lastIndexOf('/') + 1), number));
    }

    /** The nodes whose folders are in this one, by name, for each RDMA device; without those that cannot be read. */
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

    /** The plain decimal number in the file; empty where it cannot be read, or says something else. */
    default Optional<Integer> number(String path) {
        return optional(path).flatMap(SysfsNumbers::decimal);
    }

    /** The file's text without blanks around it, or empty where it cannot be read or says nothing. */
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
