package io.imexagent.core.inventory;

import io.imexagent.core.claim.Sha256;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The file of nodes of a host's nvidia-imex, {@code nodes_config.cfg}, as the host's agent reports it. Bounded whatever the
 * file has: {@link #MOST} lines and {@link #LONGEST} characters, each line of letters, digits, dots, colons, percent signs
 * and hyphens; any other character reads as an underscore.
 *
 * @param digest of all lines in their order, 32 hexadecimal digits; files whose lines are equal as values have the same
 * @param count of the lines; 0 where the file is missing, empty or cannot be read
 * @param own the place of the host's own line, from 0; empty where none is the host's
 * @param changed whether the running nvidia-imex started with another file
 * @param lines separated by blanks, as a list they would cost a controller twenty times the memory; empty where there are
 *     more than fit
 * @param addresses of the host, and its names, separated by blanks; only where it has no line of its own
 */
public record NodesFile(String digest, int count, OptionalInt own, boolean changed, String lines, String addresses) {

    /** The most lines that are reported; an NVLink domain has 144 nodes at most. */
    public static final int MOST = 256;

    /** The most characters of all lines together: 255 IPv4 addresses fit. */
    public static final int LONGEST = 4096;

    /** The most characters of the host's addresses together. */
    public static final int LONGEST_ADDRESSES = 1000;

    /** The digest's hexadecimal digits. */
    public static final int DIGEST = 32;

    private static final Pattern FOREIGN = Pattern.compile("[^0-9A-Za-z.:%-]");

    public NodesFile {
        if (!digest.matches("[0-9a-f]{" + DIGEST + "}") || count < 0) {
            throw new IllegalArgumentException("no digest and count of a file of nodes");
        }
        lines = words(lines, LONGEST);
        addresses = words(addresses, LONGEST_ADDRESSES);
    }

    /** The file with these lines, on a host with these addresses and names. */
    public static NodesFile of(List<String> written, NodeIdentity host, boolean changed) {
        List<String> words = written.stream().map(NodesFile::word).toList();
        boolean fits = words.size() <= MOST
                && words.stream().mapToInt(word -> word.length() + 1).sum() <= LONGEST + 1;
        var others = new NodeIdentity(
                host.known().stream().filter(NodesFile::isSpecific).collect(Collectors.toSet()));
        OptionalInt own = new NodeDirectory(written.stream()
                        .limit(MOST)
                        .map(line -> NodeIdentity.of(List.of(line)))
                        .toList())
                .fitting(others).stream().mapToInt(Integer::intValue).min();
        return new NodesFile(
                digest(fits ? written.stream().map(NodesFile::value).toList() : written),
                written.size(),
                own,
                changed,
                fits ? String.join(" ", words) : "",
                own.isPresent() ? "" : addresses(others));
    }

    /** The lines; none if the file has more than are reported. */
    public List<String> lineList() {
        return split(lines);
    }

    /** The addresses and names of a host that has no line of its own. */
    public List<String> addressList() {
        return split(addresses);
    }

    /** The host's own line; empty if the file has none, or its lines are not reported. */
    public Stream<String> ownLine() {
        List<String> all = lineList();
        return own.isPresent() && own.getAsInt() >= 0 && own.getAsInt() < all.size()
                ? Stream.of(all.get(own.getAsInt()))
                : Stream.of();
    }

    /** Whether the file has more lines than are reported. */
    public boolean isTooLong() {
        return count > 0 && lines.isEmpty();
    }

    /** The form in which a line is reported. */
    public static String word(String line) {
        String word = FOREIGN.matcher(line.strip()).replaceAll("_");
        return word.isEmpty() ? "_" : word;
    }

    private static String value(String line) {
        return NodeAddress.of(line).map(NodeAddress::toString).orElse("");
    }

    private static List<String> split(String words) {
        return words.isEmpty() ? List.of() : List.of(words.split(" ", -1));
    }

    private static String words(String text, int longest) {
        String bounded = text.substring(0, Math.min(text.length(), longest));
        String words = Stream.of(bounded.split(" ", -1))
                .filter(word -> !word.isEmpty())
                .limit(MOST)
                .map(NodesFile::word)
                .collect(Collectors.joining(" "));
        // The given string itself, so that files which share their text go on to do so.
        return words.equals(text) ? text : words;
    }

    /** Whether an address identifies a host: loopback and link-local addresses do not. */
    private static boolean isSpecific(NodeAddress address) {
        return switch (address) {
            case NodeAddress.Ip(var value, var _) ->
                !value.isLoopbackAddress() && !value.isLinkLocalAddress() && !value.isAnyLocalAddress();
            case NodeAddress.HostName(String text) -> !text.startsWith("localhost");
        };
    }

    /** The host's names, of which there are few, then its IPv4 addresses, then the others, as many as fit. */
    private static String addresses(NodeIdentity host) {
        List<String> sorted = host.known().stream()
                .map(NodeAddress::toString)
                .map(NodesFile::word)
                .sorted(Comparator.<String>comparingInt(word -> word.indexOf(':') >= 0
                                ? 2
                                : NodeAddress.IPV4.matcher(word).matches() ? 1 : 0)
                        .thenComparing(word -> word))
                .toList();
        var fitting = new StringBuilder();
        for (String word : sorted) {
            if (fitting.length() + word.length() + 1 > LONGEST_ADDRESSES) {
                break;
            }
            fitting.append(fitting.isEmpty() ? "" : " ").append(word);
        }
        return fitting.toString();
    }

    private static String digest(List<String> lines) {
        String text = lines.stream().map(line -> line + "\n").collect(Collectors.joining());
        return Sha256.hex(text).substring(0, DIGEST);
    }
}
