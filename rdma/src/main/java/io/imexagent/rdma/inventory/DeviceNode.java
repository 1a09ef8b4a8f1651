package io.imexagent.rdma.inventory;

import io.imexagent.core.claim.ClaimEdits;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A character device below {@code /dev/infiniband}, such as {@code uverbs0}. The kernel assigns names and numbers again
 * at each load of a driver.
 */
public record DeviceNode(String name, int major, int minor) {

    private static final Pattern NAME = Pattern.compile("[a-z_]{1,16}[0-9]{0,9}");
    private static final Pattern NUMBER = Pattern.compile("([0-9]{1,4}):([0-9]{1,7})");
    private static final int LARGEST_MAJOR = 0xfff;
    private static final int LARGEST_MINOR = 0xfffff;

    /** The node of this name with the number in the text of a {@code dev} file, {@code 231:192}; or empty. */
    public static Optional<DeviceNode> parse(String name, String number) {
        Matcher matcher = NUMBER.matcher(number);
        return matcher.matches() && NAME.matcher(name).matches()
                ? Optional.of(new DeviceNode(
                                name, Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2))))
                        .filter(node -> node.major <= LARGEST_MAJOR && node.minor <= LARGEST_MINOR)
                : Optional.empty();
    }

    /** Its path, on the host as in containers. */
    public String path() {
        return "/dev/infiniband/" + name;
    }

    /** Its number as in a {@code dev} file, {@code 231:192}. */
    public String number() {
        return major + ":" + minor;
    }

    /** The node as containers get it. */
    public ClaimEdits.Node forContainers() {
        return new ClaimEdits.Node(path(), major, minor);
    }
}
