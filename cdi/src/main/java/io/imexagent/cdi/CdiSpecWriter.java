package io.imexagent.cdi;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.imexagent.core.claim.ClaimEdits;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The CDI spec of a claim as YAML, written out by hand: a YAML library's generator would load some hundred classes on
 * the way to the first answer. That every text comes back as it went in is proven against a YAML parser.
 */
final class CdiSpecWriter {

    /** Every user in the container may open the node; the device cgroup decides who has it. */
    private static final int READ_WRITE_FOR_ALL = 0666;

    private static final List<String> READ_ONLY = List.of("ro", "nosuid", "nodev", "bind");

    /** A hook that writes a few settings takes milliseconds; a container must not wait for one that hangs. */
    private static final long HOOK_SECONDS = 10;

    /** How far a list's items stand to the right of its name, and an item's fields to the right of its dash. */
    private static final int LIST = 4;

    private static final int ITEM = 2;

    private final StringBuilder out = new StringBuilder(512);

    private CdiSpecWriter() {}

    /** The spec as a file's content. Fields that are empty are left out, as the CDI library does. */
    static byte[] encode(CdiKind kind, ClaimEdits claim) {
        var yaml = new CdiSpecWriter();
        yaml.out.append("---\n");
        yaml.text(0, "cdiVersion", version(claim));
        yaml.text(0, "kind", kind.toString());
        yaml.list(0, "devices", List.copyOf(claim.devices().entrySet()), (at, device) -> {
            yaml.text(at, "name", device.getKey());
            yaml.edits(at, device.getValue().edits());
        });
        if (!claim.shared().equals(ClaimEdits.Edits.NONE)) {
            yaml.edits(0, claim.shared());
        }
        return yaml.out.toString().getBytes(UTF_8);
    }

    /** The lowest version that has all that is used: runtimes refuse one that they do not know. */
    static String version(ClaimEdits claim) {
        boolean movesInterfaces = Stream.concat(
                        Stream.of(claim.shared()),
                        claim.devices().values().stream().map(ClaimEdits.DeviceEdits::edits))
                .anyMatch(edits -> !edits.interfaces().isEmpty());
        if (movesInterfaces) {
            return "1.1.0";
        }
        // Version 0.5.0 brought device names that start with a digit; 0.3.0 is the earliest that today's runtimes read.
        return claim.devices().keySet().stream().allMatch(CdiGrammar::startsWithLetter) ? "0.3.0" : "0.5.0";
    }

    private void edits(int at, ClaimEdits.Edits edits) {
        if (edits.equals(ClaimEdits.Edits.NONE)) {
            line(at, "containerEdits: {}");
            return;
        }
        line(at, "containerEdits:");
        int inner = at + LIST;
        texts(inner, "env", edits.environment());
        list(inner, "deviceNodes", edits.nodes(), this::deviceNode);
        list(inner, "netDevices", edits.interfaces(), (here, moved) -> {
            text(here, "hostInterfaceName", moved.onHost());
            text(here, "name", moved.inContainer());
        });
        list(inner, "hooks", edits.hooks(), this::hook);
        list(inner, "mounts", edits.mounts(), (here, mount) -> {
            text(here, "hostPath", mount.hostPath());
            text(here, "containerPath", mount.path());
            texts(here, "options", READ_ONLY);
        });
    }

    private void deviceNode(int at, ClaimEdits.DeviceNodeEdits node) {
        text(at, "path", node.path());
        text(at, "type", "c");
        number(at, "major", node.major());
        number(at, "minor", node.minor());
        number(at, "fileMode", READ_WRITE_FOR_ALL);
    }

    /** By convention a program's first argument is its own name. */
    private void hook(int at, ClaimEdits.Hook hook) {
        text(at, "hookName", hook.stage());
        text(at, "path", hook.path());
        texts(
                at,
                "args",
                Stream.concat(Stream.of(hook.path()), hook.arguments().stream()).toList());
        number(at, "timeout", HOOK_SECONDS);
    }

    /** A list of mappings: the first field of each item stands behind its dash. */
    private <T> void list(int at, String name, List<T> items, Item<T> write) {
        if (items.isEmpty()) {
            return;
        }
        line(at, name + ":");
        for (T item : items) {
            int begin = out.length();
            write.write(at + LIST + ITEM, item);
            out.setCharAt(begin + at + LIST, '-');
        }
    }

    private void texts(int at, String name, List<String> texts) {
        if (!texts.isEmpty()) {
            line(at, name + ":");
            texts.forEach(text -> line(at + LIST, "- " + YamlText.of(text)));
        }
    }

    private void text(int at, String name, String text) {
        line(at, name + ": " + YamlText.of(text));
    }

    /** The CDI library leaves out a number that is 0, and reads 0 where it is left out. */
    private void number(int at, String name, long number) {
        if (number != 0) {
            line(at, name + ": " + number);
        }
    }

    private void line(int at, String text) {
        out.repeat(' ', at).append(text).append('\n');
    }

    private interface Item<T> {
        void write(int at, T item);
    }

    /** A scalar that parsers of YAML 1.1 and 1.2 read as this text: plain for names and paths, or quoted. */
    static final class YamlText {

        /** What YAML 1.1 reads as truth values or nothing; the other readings of plain scalars begin with no letter. */
        private static final Set<String> WORDS = Set.of("y", "yes", "n", "no", "true", "false", "on", "off", "null");

        private YamlText() {}

        static String of(String text) {
            return isPlain(text) ? text : quoted(text);
        }

        private static boolean isPlain(String text) {
            if (text.isEmpty() || !(isLetter(text.charAt(0)) || text.charAt(0) == '/')) {
                return false;
            }
            for (int i = 1; i < text.length(); i++) {
                char c = text.charAt(i);
                if (!isLetter(c) && !(c >= '0' && c <= '9') && "/_.-".indexOf(c) < 0) {
                    return false;
                }
            }
            return !WORDS.contains(text.toLowerCase(Locale.ROOT));
        }

        private static boolean isLetter(char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        }

        /** Surrogates without a partner are no characters; they become the replacement character. */
        private static String quoted(String text) {
            var out = new StringBuilder(text.length() + 2).append('"');
            text.codePoints().forEach(c -> {
                if (c == '"' || c == '\\') {
                    out.append('\\').append((char) c);
                } else if (c >= ' ' && c <= '~') {
                    out.append((char) c);
                } else if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
                    out.append("\\uFFFD");
                } else {
                    out.append(c > 0xFFFF ? String.format("\\U%08X", c) : String.format("\\u%04X", c));
                }
            });
            return out.append('"').toString();
        }
    }
}
