package io.imexagent.kubernetes.clique;

import io.imexagent.core.inventory.NodeAddress;
import io.imexagent.core.inventory.NodeDirectory;
import io.imexagent.core.inventory.NodeIdentity;
import io.imexagent.core.inventory.NodesFile;
import io.imexagent.core.text.NameList;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Compares the files of nodes in a clique with each other and with the clique's members. Two lines are equal if they
 * name the same member, or are the same address in any form, or the same name without regard to case.
 *
 * <p>Each node reports its own file, and a compromised node may report anything, so the result is used in reports only.
 * A member whose file is unknown is not a fault.
 */
public final class NodesFileComparison {

    /** Larger cliques are not compared, which is reported as a fault: an NVLink domain has 144 nodes at most. */
    public static final int MOST_MEMBERS = 256;

    private static final int MOST_NAMES = 4;
    private static final Pattern HOST_NAME = Pattern.compile("[0-9A-Za-z]([0-9A-Za-z.-]{0,251}[0-9A-Za-z.])?");
    private static final Pattern NUMBERS = Pattern.compile("[0-9.]+");

    /**
     * A node of the clique: its name, its address in the IMEX domain, and its file, empty if its agent reports none.
     */
    public record FileMember(String name, Optional<String> address, Optional<NodesFile> file) {

        /** All names and addresses by which a line may name the node. */
        NodeIdentity known() {
            return NodeIdentity.of(Stream.of(
                            Stream.of(name),
                            address.stream(),
                            file.stream().flatMap(one -> Stream.concat(one.ownLine(), one.addressList().stream())))
                    .flatMap(texts -> texts)
                    .toList());
        }
    }

    /** The kind of a fault; its text is a word for metrics and documents. */
    public enum FileFaultKind {
        FILES_DIFFER("files-differ"),
        NO_FILE("no-file"),
        OWN_LINE_MISSING("own-line-missing"),
        /** A node of the clique is in no file. */
        MEMBER_MISSING("member-missing"),
        /** A line names no node of the clique. */
        NO_MEMBER("no-member"),
        /** A line is neither an address nor a host name, or is repeated. */
        WRONG_LINE("wrong-line"),
        CHANGED("changed-since-start"),
        TOO_LONG("too-long"),
        /** The clique has more than {@link #MOST_MEMBERS} nodes, so its files are not compared. */
        NOT_COMPARED("not-compared");

        private final String text;

        FileFaultKind(String text) {
            this.text = text;
        }

        public String text() {
            return text;
        }
    }

    /** A fault, as a sentence without its full stop, and its nodes, or no node if it concerns the whole clique. */
    public record NodesFileFault(FileFaultKind kind, String text, List<String> nodes) {

        public NodesFileFault {
            nodes = List.copyOf(nodes);
        }
    }

    /**
     * A line of the proposed file. A {@code plain} line belongs in it; {@code reason} states what is undecided about a
     * line.
     */
    public record ProposedLine(String text, boolean plain, Optional<String> reason) {}

    /**
     * A line of a file. Equal lines have the same key; {@code fitting} are the numbers of the members that the line may
     * name.
     */
    private record FileLine(String text, String key, Set<Integer> fitting) {

        boolean isWellFormed() {
            return NodeAddress.of(text)
                    .filter(address -> address instanceof NodeAddress.Ip
                            || (HOST_NAME.matcher(text).matches()
                                    && !NUMBERS.matcher(text).matches()))
                    .isPresent();
        }
    }

    /** Nodes whose files have the same lines; the lines are unknown if a file is too long. */
    private record FileGroup(List<FileLine> lines, List<String> nodes) {}

    private final int size;

    /** The nodes that are compared; empty if the clique has too many. */
    private final List<FileMember> members;

    private final NodeDirectory directory;

    /** The files by their lines, the most common first. */
    private final List<FileGroup> groups;

    private NodesFileComparison(int size, List<FileMember> members) {
        this.size = size;
        this.members = members;
        this.directory =
                new NodeDirectory(members.stream().map(FileMember::known).toList());
        Map<List<String>, FileGroup> byLines = new LinkedHashMap<>();
        Map<String, List<FileLine>> parsed = new HashMap<>();
        for (FileMember member : members) {
            member.file().filter(file -> file.count() > 0).ifPresent(file -> {
                List<FileLine> lines = parsed.computeIfAbsent(file.lines(), any -> lines(file.lineList()));
                List<String> key = file.isTooLong() ? List.of("digest " + file.digest()) : keys(lines);
                byLines.computeIfAbsent(key, none -> new FileGroup(lines, new ArrayList<>()))
                        .nodes()
                        .add(member.name());
            });
        }
        this.groups = byLines.values().stream()
                .sorted(Comparator.comparingInt(
                                (FileGroup group) -> -group.nodes().size())
                        .thenComparing(group -> group.nodes().getFirst()))
                .toList();
    }

    /** Compares the files of a clique's members. */
    public static NodesFileComparison of(List<FileMember> members) {
        return new NodesFileComparison(
                members.size(),
                members.size() > MOST_MEMBERS
                        ? List.of()
                        : members.stream()
                                .sorted(Comparator.comparing(FileMember::name))
                                .toList());
    }

    private static List<String> keys(List<FileLine> lines) {
        return lines.stream().map(FileLine::key).toList();
    }

    private List<FileLine> lines(List<String> words) {
        return words.stream()
                .map(word -> {
                    Set<Integer> fitting = directory.fitting(NodeIdentity.of(List.of(word)));
                    String key = fitting.size() == 1
                            ? "node " + members.get(fitting.iterator().next()).name()
                            : NodeAddress.of(word).map(NodeAddress::toString).orElse(word);
                    return new FileLine(word, key, fitting);
                })
                .toList();
    }

    /** The names of members whose agents report no file: older agents, and nodes that do not need nvidia-imex. */
    public List<String> unknown() {
        return names(member -> member.file().isEmpty());
    }

    /** The faults, by kind; empty if there are none, or nothing is known. */
    public List<NodesFileFault> faults() {
        List<NodesFileFault> faults = new ArrayList<>();
        differing(faults);
        fault(
                FileFaultKind.NO_FILE,
                names(member -> member.file().filter(file -> file.count() == 0).isPresent()),
                "nodes_config.cfg is missing, empty or cannot be read on ",
                faults);
        fault(
                FileFaultKind.OWN_LINE_MISSING,
                names(this::lacksItself),
                "nodes_config.cfg has no line of the host itself on ",
                faults);
        fault(FileFaultKind.MEMBER_MISSING, missing(), "in no nodes_config.cfg of the clique stands ", faults);
        lineFault(
                FileFaultKind.NO_MEMBER,
                lineNodes(line -> line.fitting().isEmpty() && line.isWellFormed() && !hidesMembers()),
                " names no node of the clique, but another rack's or one that is gone",
                faults);
        lineFault(
                FileFaultKind.WRONG_LINE,
                lineNodes(line -> !line.isWellFormed()),
                " is neither an address nor a host name",
                faults);
        lineFault(FileFaultKind.WRONG_LINE, nodesOf(NodesFileComparison::repeated), " stands more than once", faults);
        fault(
                FileFaultKind.CHANGED,
                names(member -> member.file().filter(NodesFile::changed).isPresent()),
                "nodes_config.cfg was changed since the start of nvidia-imex, which reads it then only, on ",
                faults);
        fault(
                FileFaultKind.TOO_LONG,
                names(member -> member.file().filter(NodesFile::isTooLong).isPresent()),
                "nodes_config.cfg has more lines than are reported on ",
                faults);
        if (size > MOST_MEMBERS) {
            faults.add(new NodesFileFault(
                    FileFaultKind.NOT_COMPARED,
                    "nodes_config.cfg is not compared, since the clique has " + size + " nodes, more than "
                            + MOST_MEMBERS,
                    List.of()));
        }
        return faults;
    }

    private static void fault(FileFaultKind kind, List<String> nodes, String text, List<NodesFileFault> faults) {
        if (!nodes.isEmpty()) {
            faults.add(new NodesFileFault(kind, text + NameList.some(nodes, MOST_NAMES), nodes));
        }
    }

    private static void lineFault(
            FileFaultKind kind, Map<String, Set<String>> lines, String what, List<NodesFileFault> faults) {
        if (!lines.isEmpty()) {
            List<String> nodes = lines.values().stream()
                    .flatMap(Set::stream)
                    .distinct()
                    .sorted()
                    .toList();
            faults.add(new NodesFileFault(
                    kind,
                    "a line of nodes_config.cfg" + what + ": "
                            + NameList.some(List.copyOf(lines.keySet()), MOST_NAMES) + ", on "
                            + NameList.some(nodes, MOST_NAMES),
                    nodes));
        }
    }

    private void differing(List<NodesFileFault> faults) {
        if (groups.size() < 2) {
            return;
        }
        FileGroup common = groups.getFirst();
        List<FileGroup> others = groups.subList(1, groups.size());
        List<String> texts = others.stream()
                .map(other ->
                        NameList.some(other.nodes(), MOST_NAMES) + " " + difference(common.lines(), other.lines()))
                .toList();
        faults.add(new NodesFileFault(
                FileFaultKind.FILES_DIFFER,
                "nodes_config.cfg differs: against that of " + NameList.some(common.nodes(), MOST_NAMES) + ", "
                        + (texts.size() <= MOST_NAMES
                                ? String.join("; ", texts)
                                : String.join("; ", texts.subList(0, MOST_NAMES)) + "; and "
                                        + (texts.size() - MOST_NAMES) + " more files"),
                others.stream()
                        .flatMap(other -> other.nodes().stream())
                        .sorted()
                        .toList()));
    }

    private static String difference(List<FileLine> common, List<FileLine> other) {
        if (common.isEmpty() || other.isEmpty()) {
            return "has other lines, of which too many to tell";
        }
        List<String> parts = new ArrayList<>();
        List<String> lacking = without(common, other);
        List<String> more = without(other, common);
        if (!lacking.isEmpty()) {
            parts.add("lacks " + NameList.some(lacking, MOST_NAMES));
        }
        if (!more.isEmpty()) {
            parts.add("has " + NameList.some(more, MOST_NAMES) + " besides");
        }
        return parts.isEmpty() ? "has another order, or lines twice" : String.join(" and ", parts);
    }

    private static List<String> without(List<FileLine> lines, List<FileLine> others) {
        var keys = new HashSet<>(keys(others));
        return lines.stream()
                .filter(line -> !keys.contains(line.key()))
                .map(FileLine::text)
                .distinct()
                .toList();
    }

    private List<String> names(Predicate<FileMember> which) {
        return members.stream().filter(which).map(FileMember::name).toList();
    }

    private boolean lacksItself(FileMember member) {
        int number = members.indexOf(member);
        return member.file()
                .filter(file -> !file.lines().isEmpty() && file.own().isEmpty())
                .filter(file -> groups.stream()
                        .filter(group -> group.nodes().contains(member.name()))
                        .flatMap(group -> group.lines().stream())
                        .noneMatch(line -> line.fitting().contains(number)))
                .isPresent();
    }

    /** The members with known names and addresses that no file names. */
    private List<String> missing() {
        if (groups.stream().allMatch(group -> group.lines().isEmpty())) {
            return List.of();
        }
        Set<Integer> named = new HashSet<>();
        groups.stream().flatMap(group -> group.lines().stream()).forEach(line -> named.addAll(line.fitting()));
        return IntStream.range(0, members.size())
                .filter(member -> !named.contains(member))
                .mapToObj(members::get)
                .filter(member ->
                        member.file().filter(file -> !file.isTooLong()).isPresent())
                .map(FileMember::name)
                .toList();
    }

    /** Whether a line that fits no known name may still name a member: one whose names are unknown. */
    private boolean hidesMembers() {
        return members.stream()
                .anyMatch(member ->
                        member.file().filter(file -> !file.isTooLong()).isEmpty());
    }

    private Map<String, Set<String>> lineNodes(Predicate<FileLine> which) {
        return nodesOf(lines -> lines.stream().filter(which));
    }

    /** The selected lines of each file, with the nodes that have them. */
    private Map<String, Set<String>> nodesOf(Function<List<FileLine>, Stream<FileLine>> these) {
        Map<String, Set<String>> nodes = new LinkedHashMap<>();
        for (FileGroup group : groups) {
            these.apply(group.lines())
                    .forEach(line -> nodes.computeIfAbsent(line.text(), none -> new TreeSet<>())
                            .addAll(group.nodes()));
        }
        return nodes;
    }

    /** The lines that repeat an earlier line of the file. */
    private static Stream<FileLine> repeated(List<FileLine> lines) {
        var seen = new HashSet<String>();
        return lines.stream().filter(line -> !seen.add(line.key()));
    }

    /**
     * The proposed file, in the order of the most common one. Lines that more than half of the files have are plain;
     * other lines, and members in no file, have a reason why they are not.
     */
    public List<ProposedLine> proposal() {
        int files = groups.stream().mapToInt(group -> group.nodes().size()).sum();
        Map<String, FileLine> lines = new LinkedHashMap<>();
        Map<String, List<String>> having = new HashMap<>();
        for (FileGroup group : groups) {
            group.lines().forEach(line -> lines.putIfAbsent(line.key(), line));
            new HashSet<>(keys(group.lines()))
                    .forEach(key -> having.computeIfAbsent(key, none -> new ArrayList<>())
                            .addAll(group.nodes()));
        }
        List<ProposedLine> plain = new ArrayList<>();
        List<ProposedLine> open = new ArrayList<>();
        lines.forEach((key, line) -> {
            List<String> nodes =
                    having.getOrDefault(key, List.of()).stream().sorted().toList();
            boolean common = 2 * nodes.size() > files;
            if (!line.isWellFormed()) {
                open.add(new ProposedLine(line.text(), false, Optional.of("is neither an address nor a host name")));
            } else if (!common) {
                open.add(new ProposedLine(
                        line.text(),
                        false,
                        Optional.of("is in " + nodes.size() + " of " + files + " files only: "
                                + NameList.some(nodes, MOST_NAMES))));
            } else {
                plain.add(new ProposedLine(
                        line.text(),
                        true,
                        line.fitting().isEmpty() && !hidesMembers()
                                ? Optional.of("names no node of the clique; leave it out if that node is gone")
                                : Optional.empty()));
            }
        });
        List<String> missing = missing();
        members.stream()
                .filter(member -> missing.contains(member.name()))
                .map(member -> new ProposedLine(
                        address(member),
                        false,
                        Optional.of("is " + member.name() + ", a node of the clique that stands in no file")))
                .forEach(open::add);
        return Stream.concat(plain.stream(), open.stream()).toList();
    }

    private static String address(FileMember member) {
        List<String> known = member.file().map(NodesFile::addressList).orElse(List.of());
        return known.stream()
                .filter(word -> NodeAddress.of(word)
                        .filter(NodeAddress.Ip.class::isInstance)
                        .isPresent())
                .findFirst()
                .or(() -> known.stream().findFirst())
                .orElse(member.name());
    }

    /** The differences between a file of these lines and the proposed one, in sentences; empty if it has none. */
    public List<String> check(List<String> written) {
        List<FileLine> given = lines(written.stream().map(NodesFile::word).toList());
        List<FileLine> right = lines(proposal().stream()
                .filter(ProposedLine::plain)
                .map(ProposedLine::text)
                .toList());
        List<String> differences = new ArrayList<>();
        without(right, given).forEach(line -> differences.add("it lacks " + line));
        without(given, right).forEach(line -> differences.add("it has " + line + " besides"));
        given.stream()
                .filter(line -> !line.isWellFormed())
                .forEach(line -> differences.add(line.text() + " is neither an address nor a host name"));
        repeated(given).forEach(line -> differences.add("it has " + line.text() + " more than once"));
        if (differences.isEmpty() && !keys(given).equals(keys(right))) {
            differences.add("its lines are in another order, and the place of a line is the number of its node");
        }
        return differences;
    }
}
