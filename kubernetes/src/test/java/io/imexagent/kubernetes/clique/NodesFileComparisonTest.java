package io.imexagent.kubernetes.clique;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.imexagent.core.inventory.NodeIdentity;
import io.imexagent.core.inventory.NodesFile;
import io.imexagent.kubernetes.clique.NodesFileComparison.FileFaultKind;
import io.imexagent.kubernetes.clique.NodesFileComparison.FileMember;
import io.imexagent.kubernetes.clique.NodesFileComparison.NodesFileFault;
import io.imexagent.kubernetes.clique.NodesFileComparison.ProposedLine;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class NodesFileComparisonTest {

    private static final List<String> THREE = List.of("10.0.0.1", "10.0.0.2", "10.0.0.3");

    @Test
    void filesThatAreTheSameHaveNoFault() {
        var comparison = of(member(1, THREE), member(2, THREE), member(3, THREE));

        assertThat(comparison.faults()).isEmpty();
        assertThat(plain(comparison)).isEqualTo(THREE);
        assertThat(comparison.proposal()).allMatch(line -> line.reason().isEmpty());
    }

    @Test
    void aNodeThatNoFileNamesIsMissingAndLacksItself() {
        List<String> two = THREE.subList(0, 2);
        var comparison = of(member(1, two), member(2, two), member(3, two));

        assertThat(kinds(comparison)).containsExactly(FileFaultKind.OWN_LINE_MISSING, FileFaultKind.MEMBER_MISSING);
        assertThat(comparison.faults()).allMatch(fault -> fault.nodes().equals(List.of("tray-3")));
        assertThat(comparison.proposal().getLast())
                .isEqualTo(new ProposedLine(
                        "10.0.0.3", false, Optional.of("is tray-3, a node of the clique that stands in no file")));
    }

    @Test
    void aNodeThatOnlyItsOwnFileLacksIsNamedByTheOthers() {
        var comparison = of(member(1, THREE), member(2, THREE), member(3, THREE.subList(0, 2)));

        assertThat(kinds(comparison)).containsExactly(FileFaultKind.FILES_DIFFER, FileFaultKind.OWN_LINE_MISSING);
        assertThat(comparison.faults().getFirst().text())
                .isEqualTo("nodes_config.cfg differs: against that of tray-1, tray-2, tray-3 lacks 10.0.0.3");
        assertThat(plain(comparison)).isEqualTo(THREE);
    }

    @Test
    void aLineOfAnotherRackNamesNoMember() {
        List<String> four = List.of("10.0.0.1", "10.0.0.2", "10.0.0.3", "10.9.9.9");
        var comparison = of(member(1, THREE), member(2, THREE), member(3, four));

        assertThat(kinds(comparison)).containsExactly(FileFaultKind.FILES_DIFFER, FileFaultKind.NO_MEMBER);
        assertThat(comparison.faults().getLast().text()).contains("10.9.9.9, on tray-3");
        assertThat(comparison.proposal().getLast())
                .isEqualTo(new ProposedLine("10.9.9.9", false, Optional.of("is in 1 of 3 files only: tray-3")));
    }

    @Test
    void aLineThatAllHaveAndNamesNoMemberStaysWithAReason() {
        List<String> gone = List.of("10.0.0.1", "10.0.0.2", "10.0.0.77");
        var comparison = of(member(1, gone), member(2, gone));

        assertThat(kinds(comparison)).containsExactly(FileFaultKind.NO_MEMBER);
        assertThat(plain(comparison)).isEqualTo(gone);
        assertThat(comparison.proposal().getLast().reason()).isPresent();
    }

    @Test
    void ofOlderAgentsNothingIsKnownAndNothingIsAFault() {
        var older = new FileMember("tray-3", Optional.empty(), Optional.empty());
        var comparison = of(member(1, THREE), member(2, THREE), older);

        assertThat(comparison.faults()).isEmpty();
        assertThat(comparison.unknown()).containsExactly("tray-3");
        assertThat(of(older).faults()).isEmpty();
        assertThat(of(older).proposal()).isEmpty();
    }

    @Test
    void theOrderCounts() {
        var comparison = of(member(1, THREE), member(2, THREE), member(3, THREE.reversed()));

        assertThat(kinds(comparison)).containsExactly(FileFaultKind.FILES_DIFFER);
        assertThat(comparison.faults().getFirst().text()).contains("tray-3 has another order");
        assertThat(plain(comparison)).isEqualTo(THREE);
    }

    @Test
    void namesAndAddressesOfOneMemberAreOneLine() {
        var names = List.of("imex-1", "tray-2.rack.example", "TRAY-3");
        FileMember named = new FileMember(
                "tray-1",
                Optional.of("10.0.0.1"),
                Optional.of(NodesFile.of(names, NodeIdentity.of(List.of("10.0.0.1", "imex-1")), false)));
        var comparison = of(named, member(2, THREE), member(3, List.of("::ffff:10.0.0.1", "10.0.0.2", "10.0.0.3")));

        assertThat(comparison.faults()).isEmpty();
    }

    @Test
    void formsOfIpv6AreOneLine() {
        FileMember one = ipv6(1, List.of("2001:DB8:0:0:0:0:0:1", "2001:db8::2"));
        FileMember two = ipv6(2, List.of("2001:db8::1", "2001:0db8::0002"));

        assertThat(of(one, two).faults()).isEmpty();
    }

    @Test
    void filesThatAreMissingChangedOrTooLongAreNamed() {
        FileMember none = member(1, List.of());
        FileMember changed = new FileMember(
                "tray-2", Optional.empty(), Optional.of(NodesFile.of(List.of("10.0.0.2"), host(2), true)));
        FileMember tooLong = member(3, Collections.nCopies(300, "10.0.0.3"));

        assertThat(kinds(of(none, changed)))
                .containsExactly(FileFaultKind.NO_FILE, FileFaultKind.MEMBER_MISSING, FileFaultKind.CHANGED);
        assertThat(kinds(of(tooLong))).containsExactly(FileFaultKind.TOO_LONG);
        assertThat(kinds(of(tooLong, changed))).contains(FileFaultKind.FILES_DIFFER, FileFaultKind.TOO_LONG);
    }

    @Test
    void wrongLinesAreNeverProposedPlain() {
        List<String> wrong = List.of("10.0.0.1", "10.0.0.2 # two", "10.0.0.1", "10.0.0.999", "$(reboot)");
        var comparison = of(member(1, wrong));

        assertThat(plain(comparison)).containsExactly("10.0.0.1");
        assertThat(kinds(comparison)).containsExactly(FileFaultKind.WRONG_LINE, FileFaultKind.WRONG_LINE);
    }

    @Test
    void aStolenNodeThatClaimsTheLinesOfOthersChangesNoProposal() {
        var claims = new NodesFile("0".repeat(32), 3, OptionalInt.of(0), false, "10.0.0.1 10.6.6.6", "");
        FileMember stolen = new FileMember("tray-3", Optional.of("10.0.0.3"), Optional.of(claims));
        var comparison = of(member(1, THREE), member(2, THREE), stolen);

        assertThat(plain(comparison)).isEqualTo(THREE);
    }

    @Test
    void aFileIsCheckedAgainstTheProposal() {
        var comparison = of(member(1, THREE), member(2, THREE), member(3, THREE));

        assertThat(comparison.check(List.of("::ffff:10.0.0.1", "tray-2", "10.0.0.3")))
                .isEmpty();
        assertThat(comparison.check(List.of("10.0.0.1", "10.0.0.2", "10.0.0.2", "x\u001b[2J")))
                .containsExactly(
                        "it lacks 10.0.0.3",
                        "it has x__2J besides",
                        "x__2J is neither an address nor a host name",
                        "it has 10.0.0.2 more than once");
        assertThat(comparison.check(THREE.reversed()))
                .singleElement()
                .asString()
                .contains("another order");
    }

    @Property(tries = 100)
    void theOrderOfMembersDoesNotMatter(@ForAll @IntRange(min = 1, max = 18) int size, @ForAll long seed) {
        List<String> all =
                IntStream.rangeClosed(1, size).mapToObj(i -> "10.0.0." + i).toList();
        var random = new Random(seed);
        List<FileMember> members = new ArrayList<>();
        for (int number = 1; number <= size; number++) {
            members.add(member(number, all.subList(0, random.nextInt(5) == 0 ? random.nextInt(size + 1) : size)));
        }
        List<FileMember> shuffled = new ArrayList<>(members);
        Collections.shuffle(shuffled, random);

        NodesFileComparison one = NodesFileComparison.of(members);
        NodesFileComparison other = NodesFileComparison.of(shuffled);

        assertThat(one.faults()).isEqualTo(other.faults());
        assertThat(one.proposal()).isEqualTo(other.proposal());
        assertThat(one.check(plain(one))).isEmpty();
    }

    @Property(tries = 200)
    void whateverNodesReportIsComparedAndPlain(@ForAll @Size(max = 5) List<@Size(max = 20) List<String>> files) {
        List<FileMember> members = new ArrayList<>();
        for (List<String> file : files) {
            members.add(member(members.size() + 1, file));
        }
        NodesFileComparison comparison = NodesFileComparison.of(members);

        assertThatCode(comparison::faults).doesNotThrowAnyException();
        assertThat(comparison.faults()).allMatch(fault -> fault.text().matches("[ -~]*"));
        assertThat(plain(comparison)).allMatch(line -> line.matches("[0-9A-Za-z.:%-]+"));
    }

    @Test
    void rackWith255LinesAndMembersIsCompared() {
        List<String> all =
                IntStream.rangeClosed(1, 255).mapToObj(i -> "10.0.0." + i).toList();
        List<FileMember> members =
                IntStream.rangeClosed(1, 255).mapToObj(i -> member(i, all)).toList();

        assertThat(NodesFileComparison.of(members).faults()).isEmpty();
        assertThat(plain(NodesFileComparison.of(members))).isEqualTo(all);
    }

    @Test
    void aCliqueWithMoreNodesThanAreComparedSaysSo() {
        List<FileMember> most =
                IntStream.rangeClosed(1, 256).mapToObj(i -> member(i, THREE)).toList();
        List<FileMember> many =
                IntStream.rangeClosed(1, 257).mapToObj(i -> member(i, THREE)).toList();

        assertThat(kinds(NodesFileComparison.of(most))).doesNotContain(FileFaultKind.NOT_COMPARED);
        assertThat(NodesFileComparison.of(many).faults())
                .containsExactly(new NodesFileFault(
                        FileFaultKind.NOT_COMPARED,
                        "nodes_config.cfg is not compared, since the clique has 257 nodes, more than 256",
                        List.of()));
        assertThat(NodesFileComparison.of(many).proposal()).isEmpty();
    }

    private static NodesFileComparison of(FileMember... members) {
        return NodesFileComparison.of(List.of(members));
    }

    private static FileMember member(int number, List<String> lines) {
        return new FileMember(
                "tray-" + number, Optional.empty(), Optional.of(NodesFile.of(lines, host(number), false)));
    }

    private static FileMember ipv6(int number, List<String> lines) {
        return new FileMember(
                "tray-" + number,
                Optional.empty(),
                Optional.of(NodesFile.of(lines, NodeIdentity.of(List.of("2001:db8::" + number)), false)));
    }

    private static NodeIdentity host(int number) {
        return NodeIdentity.of(List.of("10.0.0." + number));
    }

    private static List<FileFaultKind> kinds(NodesFileComparison comparison) {
        return comparison.faults().stream().map(NodesFileFault::kind).toList();
    }

    private static List<String> plain(NodesFileComparison comparison) {
        return comparison.proposal().stream()
                .filter(ProposedLine::plain)
                .map(ProposedLine::text)
                .toList();
    }
}
